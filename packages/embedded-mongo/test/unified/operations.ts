import type { ClientSession, Collection, Db, MongoClient } from 'mongodb';
import type { Entities, Json } from './runner.ts';

/** Thrown for an operation the runner lacks, so that its test counts as skipped. */
export class UnknownOperation extends Error {
  override readonly name = 'UnknownOperation';
}

/** Runs one operation of the unified test format with the driver's own method. */
export async function runOperation(operation: Json, entities: Entities): Promise<unknown> {
  const { session: sessionName, ...given } = (operation.arguments as Json | undefined) ?? {};
  const session = sessionName === undefined ? undefined : (entities.get(String(sessionName)) as ClientSession);
  const object = operation.object === 'testRunner' ? undefined : entities.get(String(operation.object));
  const name = String(operation.name);
  if (object === undefined) return testRunner(name, given, entities);
  const run = collectionOperations[name];
  if (run) return run(object as Collection, { ...given, ...(session && { session }) });
  if (name === 'aggregate' || name === 'runCommand') return databaseOperation(name, object as Db, given);
  throw new UnknownOperation(name);
}

async function testRunner(name: string, given: Json, entities: Entities): Promise<unknown> {
  if (name === 'failPoint')
    return (entities.get(String(given.client)) as MongoClient).db('admin').command(given.failPoint as Json);
  throw new UnknownOperation(name);
}

async function databaseOperation(name: string, db: Db, given: Json): Promise<unknown> {
  if (name === 'runCommand') return db.command(given.command as Json);
  const { pipeline, ...options } = given;
  return db.aggregate(pipeline as Json[], options).toArray();
}

type Run = (collection: Collection, given: Json) => Promise<unknown>;

const filtered =
  (run: (collection: Collection, filter: Json, options: Json) => Promise<unknown>): Run =>
  (collection, { filter, ...options }) =>
    run(collection, (filter as Json | undefined) ?? {}, options);

const writing =
  (method: 'updateOne' | 'updateMany' | 'replaceOne' | 'findOneAndUpdate' | 'findOneAndReplace'): Run =>
  async (collection, { filter, update, replacement, returnDocument, ...options }) => {
    const order =
      typeof returnDocument === 'string' ? { returnDocument: returnDocument.toLowerCase() as 'after' | 'before' } : {};
    const call = collection[method] as unknown as (
      this: Collection,
      filter: unknown,
      change: unknown,
      options: unknown,
    ) => Promise<unknown>;
    return call.call(collection, filter, update ?? replacement, { ...options, ...order });
  };

const collectionOperations: Record<string, Run> = {
  find: filtered((collection, filter, options) => collection.find(filter, options).toArray()),
  findOne: filtered((collection, filter, options) => collection.findOne(filter, options)),
  countDocuments: filtered((collection, filter, options) => collection.countDocuments(filter, options)),
  count: filtered((collection, filter, options) => collection.count(filter, options)),
  deleteOne: filtered((collection, filter, options) => collection.deleteOne(filter, options)),
  deleteMany: filtered((collection, filter, options) => collection.deleteMany(filter, options)),
  findOneAndDelete: filtered((collection, filter, options) => collection.findOneAndDelete(filter, options)),
  estimatedDocumentCount: (collection, options) => collection.estimatedDocumentCount(options),
  distinct: (collection, { fieldName, filter, ...options }) => collection.distinct(String(fieldName), filter as Json, options),
  insertOne: (collection, { document, ...options }) => collection.insertOne(document as Json, options),
  insertMany: (collection, { documents, ...options }) => collection.insertMany(documents as Json[], options),
  updateOne: writing('updateOne'),
  updateMany: writing('updateMany'),
  replaceOne: writing('replaceOne'),
  findOneAndUpdate: writing('findOneAndUpdate'),
  findOneAndReplace: writing('findOneAndReplace'),
  bulkWrite: (collection, { requests, ...options }) => collection.bulkWrite(requests as never[], options),
  aggregate: (collection, { pipeline, ...options }) => collection.aggregate(pipeline as Json[], options).toArray(),
};
