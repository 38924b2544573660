import { EJSON } from 'bson';
import { type ClientSession, type CommandStartedEvent, MongoClient, MongoServerError } from 'mongodb';
import { matches } from './match.ts';
import { runOperation } from './operations.ts';

export type Json = { [name: string]: unknown };
export type Entities = Map<string, unknown>;
export type UnifiedTest = Json & { description: string; operations: Json[] };
export type UnifiedFile = Json & { description: string; createEntities: Json[]; tests: UnifiedTest[] };

/** Reads a file of the unified test format, numbers in their exact types. */
export function readUnified(text: string): UnifiedFile {
  return EJSON.parse(text, { relaxed: true }) as UnifiedFile;
}

/** Why a test does not apply to this server, undefined if it does. */
export function skipReason(file: UnifiedFile, test: UnifiedTest): string | undefined {
  if (typeof test.skipReason === 'string') return test.skipReason;
  return requirementsFailed(file.runOnRequirements) ?? requirementsFailed(test.runOnRequirements);
}

const serverVersion = [7, 0, 0];

function requirementsFailed(requirements: unknown): string | undefined {
  if (!Array.isArray(requirements)) return undefined;
  const reasons = requirements.map((requirement: Json) => {
    if (older(serverVersion, requirement.minServerVersion)) return `needs server ${requirement.minServerVersion}`;
    if (typeof requirement.maxServerVersion === 'string' && newer(serverVersion, requirement.maxServerVersion)) {
      return `for servers up to ${requirement.maxServerVersion}`;
    }
    const { topologies } = requirement;
    if (Array.isArray(topologies) && !topologies.includes('replicaset')) return `for topologies ${topologies.join(', ')}`;
    if (requirement.auth === true) return 'needs authentication';
    if (requirement.serverless === 'require') return 'needs serverless';
    if (requirement.csfle !== undefined && requirement.csfle !== false) return 'needs client-side encryption';
    return undefined;
  });
  return reasons.includes(undefined) ? undefined : reasons.join('; ');
}

const numbersOf = (version: string) => version.split('.').map(Number);

function older(own: number[], min: unknown): boolean {
  return typeof min === 'string' && compare(own, numbersOf(min)) < 0;
}

function newer(own: number[], max: string): boolean {
  const limit = numbersOf(max);
  return compare(own.slice(0, limit.length), limit) > 0;
}

function compare(a: number[], b: number[]): number {
  for (let at = 0; at < 3; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Runs one test against a server; throws where it fails. */
export async function runUnified(file: UnifiedFile, test: UnifiedTest, uri: string): Promise<void> {
  const admin = new MongoClient(uri);
  const entities: Entities = new Map();
  const events = new Map<string, CommandStartedEvent[]>();
  const clients: MongoClient[] = [admin];
  try {
    await fillInitialData(admin, file);
    for (const entity of file.createEntities ?? []) createEntity(entity, uri, entities, events, clients);
    for (const operation of test.operations) await runStep(operation, entities);
    checkEvents(test, events, entities);
    await checkOutcome(admin, test);
  } finally {
    await admin.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
    await admin.db('admin').command({ configureFailPoint: 'onPrimaryTransactionalWrite', mode: 'off' });
    for (const entity of entities.values()) if (isSession(entity)) await entity.endSession();
    for (const client of clients) await client.close();
  }
}

const isSession = (entity: unknown): entity is ClientSession =>
  typeof entity === 'object' && entity !== null && 'endSession' in entity;

async function fillInitialData(admin: MongoClient, file: UnifiedFile): Promise<void> {
  for (const data of (file.initialData as Json[] | undefined) ?? []) {
    const collection = admin.db(String(data.databaseName)).collection(String(data.collectionName));
    await collection.drop();
    await admin.db(String(data.databaseName)).createCollection(String(data.collectionName));
    const documents = data.documents as Json[];
    if (documents.length > 0) await collection.insertMany(documents as never[]);
  }
}

function createEntity(
  entity: Json,
  uri: string,
  entities: Entities,
  events: Map<string, CommandStartedEvent[]>,
  clients: MongoClient[],
): void {
  const [kind = ''] = Object.keys(entity);
  const spec = entity[kind] as Json;
  const id = String(spec.id);
  if (kind === 'client') {
    const observed = (spec.observeEvents as string[] | undefined) ?? [];
    const ignored = new Set((spec.ignoreCommandMonitoringEvents as string[] | undefined) ?? []);
    const client = new MongoClient(uri, { ...(spec.uriOptions as Json), monitorCommands: observed.length > 0 });
    const seen: CommandStartedEvent[] = [];
    events.set(id, seen);
    client.on('commandStarted', (event) => {
      if (event.commandName !== 'configureFailPoint' && !ignored.has(event.commandName)) seen.push(event);
    });
    clients.push(client);
    entities.set(id, client);
  } else if (kind === 'database') {
    const client = entities.get(String(spec.client)) as MongoClient;
    entities.set(id, client.db(String(spec.databaseName), spec.databaseOptions as Json));
  } else if (kind === 'collection') {
    const database = entities.get(String(spec.database)) as ReturnType<MongoClient['db']>;
    entities.set(id, database.collection(String(spec.collectionName), spec.collectionOptions as Json));
  } else if (kind === 'session') {
    const client = entities.get(String(spec.client)) as MongoClient;
    entities.set(id, client.startSession(spec.sessionOptions as Json));
  } else throw new Error(`entity ${kind} is not known to the runner`);
}

async function runStep(operation: Json, entities: Entities): Promise<void> {
  let result: unknown;
  try {
    result = await runOperation(operation, entities);
  } catch (error) {
    if (operation.ignoreResultAndError === true) return;
    if (!operation.expectError) throw error;
    checkError(error, operation.expectError as Json, entities);
    return;
  }
  if (operation.ignoreResultAndError === true) return;
  if (operation.expectError) throw new Error(`${operation.name} should have failed`);
  if (operation.expectResult !== undefined) matches(plain(result), operation.expectResult, entities, String(operation.name));
  if (typeof operation.saveResultAsEntity === 'string') entities.set(operation.saveResultAsEntity, result);
}

/** Results are compared as documents: driver classes become plain fields. */
function plain(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(plain);
  if (typeof result !== 'object' || result === null || '_bsontype' in result || result instanceof Date) return result;
  const fields: Json = {};
  for (const name of [
    'insertedCount',
    'matchedCount',
    'modifiedCount',
    'deletedCount',
    'upsertedCount',
    'insertedIds',
    'upsertedIds',
  ]) {
    if (name in result) fields[name] = (result as Json)[name];
  }
  return { ...result, ...fields };
}

function checkError(error: unknown, expected: Json, entities: Entities): void {
  if (!(error instanceof Error)) throw new Error('not an error');
  const own = error as Error & { code?: number; codeName?: string; result?: unknown; hasErrorLabel?: (label: string) => boolean };
  const fromServer = own instanceof MongoServerError || own.name === 'MongoNetworkError' || own.name === 'MongoWriteConcernError';
  if (expected.isClientError === true && fromServer && own.name !== 'MongoNetworkError')
    throw new Error(`expected a client error, not ${own}`);
  if (expected.errorCode !== undefined && own.code !== expected.errorCode)
    throw new Error(`expected code ${expected.errorCode}, not ${own.code}`);
  if (expected.errorCodeName !== undefined && own.codeName !== expected.errorCodeName)
    throw new Error(`expected ${expected.errorCodeName}, not ${own.codeName}`);
  if (typeof expected.errorContains === 'string' && !own.message.toLowerCase().includes(expected.errorContains.toLowerCase())) {
    throw new Error(`expected '${expected.errorContains}' in '${own.message}'`);
  }
  for (const label of (expected.errorLabelsContain as string[] | undefined) ?? []) {
    if (!own.hasErrorLabel?.(label)) throw new Error(`expected label ${label} on ${own}`);
  }
  for (const label of (expected.errorLabelsOmit as string[] | undefined) ?? []) {
    if (own.hasErrorLabel?.(label)) throw new Error(`label ${label} should not be on ${own}`);
  }
  if (expected.expectResult !== undefined) {
    // The driver counts ids it has made among insertedIds, also of documents that were not stored.
    const { insertedIds: _, ...result } = plain(own.result) as Json;
    matches(result, expected.expectResult, entities, 'error result');
  }
}

function checkEvents(test: UnifiedTest, events: Map<string, CommandStartedEvent[]>, entities: Entities): void {
  for (const expectation of (test.expectEvents as Json[] | undefined) ?? []) {
    if (expectation.eventType !== undefined && expectation.eventType !== 'command') continue;
    const expected = (expectation.events as Json[]).flatMap((event) =>
      'commandStartedEvent' in event ? [event.commandStartedEvent as Json] : [],
    );
    const seen = events.get(String(expectation.client)) ?? [];
    for (const [at, one] of expected.entries()) {
      const event = seen[at];
      if (!event) throw new Error(`command ${at} was not sent`);
      if (one.command !== undefined) matches(event.command, one.command, entities, `command ${at}`, true);
    }
    if (expectation.ignoreExtraEvents !== true && seen.length > expected.length) {
      throw new Error(`unexpected commands: ${seen.slice(expected.length).map((event) => event.commandName)}`);
    }
  }
}

async function checkOutcome(admin: MongoClient, test: UnifiedTest): Promise<void> {
  for (const expected of (test.outcome as Json[] | undefined) ?? []) {
    const collection = admin.db(String(expected.databaseName)).collection(String(expected.collectionName));
    const documents = await collection.find({}, { sort: { _id: 1 } }).toArray();
    const wanted = JSON.stringify(expected.documents);
    if (JSON.stringify(documents) !== wanted) throw new Error(`outcome ${JSON.stringify(documents)}, expected ${wanted}`);
  }
}
