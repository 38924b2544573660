import type { Db, MongoClient } from 'mongodb';
import type { Json } from '../file.ts';

/** The operations on a database, by the name in the test format. */
export const databaseOperations: Record<string, (db: Db, given: Json) => unknown> = {
  aggregate: (db, { pipeline, ...options }) => db.aggregate(pipeline as Json[], options).toArray(),
  runCommand: (db, { command, commandName: _, ...options }) => db.command(command as Json, options),
  runCursorCommand: (db, given) => commandCursor(db, given).toArray(),
  createCommandCursor: async (db, given) => {
    const cursor = commandCursor(db, given);
    await cursor.hasNext();
    return cursor;
  },
  createCollection: (db, { collection, ...options }) => db.createCollection(String(collection), options),
  dropCollection: (db, { collection, ...options }) => db.dropCollection(String(collection), options),
  modifyCollection: (db, { collection, ...options }) => db.command({ collMod: collection, ...options }),
  listCollections: (db, { filter, ...options }) => db.listCollections((filter as Json) ?? {}, options).toArray(),
  listCollectionNames: async (db, { filter, ...options }) =>
    (await db.listCollections((filter as Json) ?? {}, { ...options, nameOnly: true }).toArray()).map(({ name }) => name),
};

function commandCursor(db: Db, { command, commandName: _, batchSize, maxTimeMS, comment, cursorType, ...options }: Json) {
  const cursor = db.runCursorCommand(command as Json, { ...options, ...(cursorType === 'tailable' && { tailable: true }) });
  if (batchSize !== undefined) cursor.setBatchSize(Number(batchSize));
  if (maxTimeMS !== undefined) cursor.setMaxTimeMS(Number(maxTimeMS));
  if (comment !== undefined) cursor.setComment(comment);
  return cursor;
}

/** The operations on a client, by the name in the test format. */
export const clientOperations: Record<string, (client: MongoClient, given: Json) => unknown> = {
  listDatabases: async (client, options) => (await client.db('admin').admin().listDatabases(options)).databases,
  listDatabaseNames: async (client, options) =>
    (
      await client
        .db('admin')
        .admin()
        .listDatabases({ ...options, nameOnly: true })
    ).databases.map(({ name }) => name),
  // The format has {insertOne: {…}} where the driver has {name: 'insertOne', …}.
  clientBulkWrite: (client, { models, ...options }) => {
    const named = (models as Json[]).flatMap((model) =>
      Object.entries(model).map(([name, fields]) => ({ name, ...(fields as Json) })),
    );
    return client.bulkWrite(named as never, options);
  },
  close: (client) => client.close(),
};
