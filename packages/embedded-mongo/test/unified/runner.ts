import { randomBytes } from 'node:crypto';
import { EJSON } from 'bson';
import { MongoClient } from 'mongodb';
import { World } from './entities.ts';
import { checkError, plain } from './errors.ts';
import { checkEvents } from './events.ts';
import type { Json, UnifiedFile, UnifiedTest } from './file.ts';
import { matches } from './match.ts';
import { runOperation, UnknownOperation } from './operations/run.ts';

/** Runs one test against a server; throws where it fails. */
export async function runUnified(file: UnifiedFile, test: UnifiedTest, uri: string): Promise<void> {
  const admin = new MongoClient(uri);
  // Some tests tell their clients apart by these names.
  const namesClients = /"data":{[^}]*"appName"/.test(JSON.stringify(test.operations));
  const world = new World(uri, `unified-${randomBytes(5).toString('hex')}`, namesClients);
  const step = async (operation: Json): Promise<void> => runStep(operation, world, step);
  try {
    await fillInitialData(admin, file);
    for (const entity of (file.createEntities as Json[] | undefined) ?? []) await world.create(entity);
    for (const operation of test.operations) await step(operation);
    checkEvents(test.expectEvents, world);
    await checkOutcome(admin, test);
  } finally {
    await world.close();
    await admin.close();
  }
}

async function fillInitialData(admin: MongoClient, file: UnifiedFile): Promise<void> {
  for (const data of (file.initialData as Json[] | undefined) ?? []) {
    const database = admin.db(String(data.databaseName));
    await database.collection(String(data.collectionName)).drop();
    const collection = await database.createCollection(String(data.collectionName), data.createOptions as Json);
    const documents = data.documents as Json[];
    if (documents.length > 0) await collection.insertMany(documents as never[]);
  }
}

async function runStep(operation: Json, world: World, step: (operation: Json) => Promise<void>): Promise<void> {
  let result: unknown;
  try {
    result = await runOperation(operation, world, step);
  } catch (error) {
    if (error instanceof UnknownOperation) throw error;
    if (operation.ignoreResultAndError === true) return;
    if (!operation.expectError) throw error;
    checkError(error, operation.expectError as Json, world);
    return;
  }
  if (operation.ignoreResultAndError === true) return;
  if (operation.expectError) throw new Error(`${String(operation.name)} should have failed`);
  if (operation.expectResult !== undefined) matches(plain(result), operation.expectResult, world, String(operation.name));
  if (typeof operation.saveResultAsEntity === 'string') world.entities.set(operation.saveResultAsEntity, result);
}

async function checkOutcome(admin: MongoClient, test: UnifiedTest): Promise<void> {
  for (const expected of (test.outcome as Json[] | undefined) ?? []) {
    const collection = admin.db(String(expected.databaseName)).collection(String(expected.collectionName));
    const documents = await collection.find({}, { sort: { _id: 1 } }).toArray();
    const wanted = EJSON.stringify(expected.documents);
    if (EJSON.stringify(documents) !== wanted) throw new Error(`outcome ${EJSON.stringify(documents)}, expected ${wanted}`);
  }
}
