import type { Closeable } from '@gerbang/runtime';
import { type Collection, type Db, type Document, MongoClient } from 'mongodb';

/** A service's own database. */
export type Store = Closeable & {
  db: Db;
  collection<T extends Document>(name: string): Collection<T>;
  /** Throws when the database cannot be asked now. */
  ping(): Promise<void>;
};

/**
 * Connects to the service's database with writeConcern and readConcern majority, whatever the address says (architecture §3).
 * int64 comes back as bigint, so that sen are never doubles.
 */
export async function connectStore(options: { uri: string; database: string; appName: string }): Promise<Store> {
  const client = new MongoClient(options.uri, {
    appName: options.appName,
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    retryWrites: true,
    retryReads: true,
    useBigInt64: true,
    promoteValues: true,
    serverSelectionTimeoutMS: 15_000,
    connectTimeoutMS: 5_000,
    socketTimeoutMS: 20_000,
    maxPoolSize: 32,
    minPoolSize: 1,
    ignoreUndefined: false,
  });
  await client.connect();
  const db = client.db(options.database);
  return {
    db,
    collection: (name) => db.collection(name),
    ping: async () => {
      await db.command({ ping: 1 }, { timeoutMS: 2_000 });
    },
    close: () => client.close(),
  };
}
