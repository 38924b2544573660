import type { Collection } from 'mongodb';
import type { Json } from '../file.ts';

type Run = (collection: Collection, given: Json) => unknown;

const filtered =
  (run: (collection: Collection, filter: Json, options: Json) => Promise<unknown>): Run =>
  (collection, { filter, ...options }) =>
    run(collection, (filter as Json | undefined) ?? {}, options);

type Writing = 'updateOne' | 'updateMany' | 'replaceOne' | 'findOneAndUpdate' | 'findOneAndReplace';

const writing =
  (method: Writing): Run =>
  async (collection, { filter, update, replacement, returnDocument, ...options }) => {
    const order = typeof returnDocument === 'string' ? { returnDocument: returnDocument.toLowerCase() } : {};
    const call = collection[method] as unknown as (
      this: Collection,
      filter: unknown,
      change: unknown,
      options: unknown,
    ) => unknown;
    return call.call(collection, filter, update ?? replacement, { ...options, ...order });
  };

/** The operations on a collection, by the name in the test format. */
export const collectionOperations: Record<string, Run> = {
  find: filtered((collection, filter, options) => collection.find(filter, options).toArray()),
  findOne: filtered((collection, filter, options) => collection.findOne(filter, options)),
  createFindCursor: filtered(async (collection, filter, options) => {
    const cursor = collection.find(filter, options);
    // The format wants the command sent now; the driver sends it with the first question.
    await cursor.hasNext();
    return cursor;
  }),
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
  drop: (collection, options) => collection.drop(options),
  rename: (collection, { to, ...options }) => collection.rename(String(to), options),
  createIndex: (collection, { keys, ...options }) => collection.createIndex(keys as Json as never, options),
  dropIndex: (collection, { name, ...options }) => collection.dropIndex(String(name), options),
  dropIndexes: (collection, options) => collection.dropIndexes(options),
  listIndexes: (collection, options) => collection.listIndexes(options).toArray(),
  listIndexNames: async (collection, options) => (await collection.listIndexes(options).toArray()).map(({ name }) => name),
  createSearchIndex: (collection, { model }) => collection.createSearchIndex(model as never),
  createSearchIndexes: (collection, { models }) => collection.createSearchIndexes(models as never),
  dropSearchIndex: (collection, { name }) => collection.dropSearchIndex(String(name)),
  updateSearchIndex: (collection, { name, definition }) => collection.updateSearchIndex(String(name), definition as Json),
  listSearchIndexes: (collection, { name, aggregationOptions }) =>
    name === undefined
      ? collection.listSearchIndexes(aggregationOptions as never).toArray()
      : collection.listSearchIndexes(String(name), aggregationOptions as never).toArray(),
};
