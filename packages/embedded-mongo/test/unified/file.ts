import { EJSON } from 'bson';
import { MongoClient, MongoServerError } from 'mongodb';

export type Json = { [name: string]: unknown };
export type UnifiedTest = Json & { description: string; operations: Json[] };
export type UnifiedFile = Json & { description: string; tests: UnifiedTest[] };

/** What decides whether a test applies: asked of the server, so that it may be any. */
export type ServerTraits = {
  version: number[];
  topology: 'replicaset' | 'sharded' | 'single';
  parameters: Json;
  transactions: boolean;
  snapshotReads: boolean;
  changeStreams: boolean;
  clusterTime: boolean;
};

/** Reads a file of the unified test format, numbers in their exact types; undefined if it is of another format. */
export function readUnified(text: string): UnifiedFile | undefined {
  const file = EJSON.parse(text, { relaxed: true }) as UnifiedFile;
  return typeof file.schemaVersion === 'string' && Array.isArray(file.tests) ? file : undefined;
}

/** Asks a server what it is and which large features it has. */
export async function traitsOf(uri: string): Promise<ServerTraits> {
  const client = new MongoClient(uri);
  try {
    const admin = client.db('admin');
    const { versionArray } = await admin.command({ buildInfo: 1 });
    const hello = await admin.command({ hello: 1 });
    return {
      version: versionArray as number[],
      topology: hello.setName !== undefined ? 'replicaset' : hello.msg === 'isdbgrid' ? 'sharded' : 'single',
      parameters: await admin.command({ getParameter: '*' }),
      clusterTime: hello.$clusterTime !== undefined,
      transactions: await answers(() =>
        client.withSession((session) =>
          session.withTransaction(() => client.db('unified-probe').collection('probe').findOne({}, { session })),
        ),
      ),
      snapshotReads: await answers(() =>
        client.withSession({ snapshot: true }, (session) =>
          client.db('unified-probe').collection('probe').findOne({}, { session }),
        ),
      ),
      changeStreams: await answers(async () => {
        const stream = client.db('unified-probe').collection('probe').watch([]);
        await stream.tryNext().finally(() => stream.close());
      }),
    };
  } finally {
    await client.close();
  }
}

async function answers(probe: () => Promise<unknown>): Promise<boolean> {
  try {
    await probe();
    return true;
  } catch (error) {
    if (error instanceof MongoServerError) return false;
    throw error;
  }
}

/** Why a test does not apply to a server, undefined if it does. */
export function skipReason(file: UnifiedFile, test: UnifiedTest, server: ServerTraits): string | undefined {
  const given = file.skipReason ?? test.skipReason;
  if (typeof given === 'string') return given;
  return (
    requirementsFailed(file.runOnRequirements, server) ??
    requirementsFailed(test.runOnRequirements, server) ??
    featureMissing(file, test, server)
  );
}

function requirementsFailed(requirements: unknown, server: ServerTraits): string | undefined {
  if (!Array.isArray(requirements)) return undefined;
  const reasons = requirements.map((requirement: Json) => requirementFailed(requirement, server));
  return reasons.includes(undefined) ? undefined : [...new Set(reasons)].join('; ');
}

function requirementFailed(requirement: Json, server: ServerTraits): string | undefined {
  const { minServerVersion, maxServerVersion, topologies, serverParameters } = requirement;
  if (typeof minServerVersion === 'string' && compare(server.version, minServerVersion, 3) < 0)
    return `needs server ${minServerVersion}`;
  if (typeof maxServerVersion === 'string' && compare(server.version, maxServerVersion, maxServerVersion.split('.').length) > 0)
    return `for servers up to ${maxServerVersion}`;
  if (Array.isArray(topologies) && !topologies.includes(server.topology)) return `for topologies ${topologies.join(', ')}`;
  if (requirement.auth === true) return 'needs authentication';
  if (requirement.serverless === 'require') return 'needs serverless';
  if (requirement.csfle !== undefined && requirement.csfle !== false) return 'needs client-side encryption';
  for (const [name, value] of Object.entries((serverParameters as Json | undefined) ?? {})) {
    if (server.parameters[name] !== value) return `needs the server's parameter ${name} = ${String(value)}`;
  }
  return undefined;
}

/** Compares the first `parts` numbers of a version with those of a text such as `4.4.99`. */
function compare(version: number[], text: string, parts: number): number {
  const limit = text.split('.').map(Number);
  for (let at = 0; at < parts; at++) {
    const difference = (version[at] ?? 0) - (limit[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function featureMissing(file: UnifiedFile, test: UnifiedTest, server: ServerTraits): string | undefined {
  const entities = JSON.stringify([file.createEntities, test.operations.filter((one) => one.name === 'createEntities')]);
  const names = new Set<unknown>();
  collectNames(test.operations, names);
  if (entities.includes('"clientEncryption"') || entities.includes('"autoEncryptOpts"')) return 'needs client-side encryption';
  if (!server.transactions && (names.has('startTransaction') || names.has('withTransaction')))
    return 'needs multi-document transactions, which this server refuses';
  if (!server.snapshotReads && entities.includes('"snapshot":true')) return 'needs snapshot reads, which this server refuses';
  if (!server.changeStreams && names.has('createChangeStream')) return 'needs change streams, which this server refuses';
  if (!server.clusterTime && JSON.stringify(test.expectEvents ?? []).includes('"$clusterTime":{"$$exists":true}'))
    return 'needs a cluster time, which this server does not tell';
  return undefined;
}

/** The names of operations, also of those that others carry in their arguments. */
function collectNames(value: unknown, names: Set<unknown>): void {
  if (Array.isArray(value)) for (const one of value) collectNames(one, names);
  else if (typeof value === 'object' && value !== null) {
    if ('name' in value && 'object' in value) names.add(value.name);
    for (const one of Object.values(value)) collectNames(one, names);
  }
}
