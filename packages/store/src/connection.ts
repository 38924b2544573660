import type { Closeable } from '@gerbang/runtime';
import { type Collection, type Db, type Document, MongoClient } from 'mongodb';
import { isDatabaseAway } from './database-away.ts';

/** How long the database may take to answer a ping. */
const PING_MS = 2_000;

/** A service's own database. */
export type Store = Closeable & {
  db: Db;
  collection<T extends Document>(name: string): Collection<T>;
  /** Throws when the database cannot be asked now. */
  ping(): Promise<void>;
  /** Whether something failed because the database is away; see `isDatabaseAway`. */
  isAway(error: unknown): boolean;
};

/**
 * Connects to the service's database with writeConcern and readConcern majority, also where the address says otherwise
 * (architecture §3). int64 comes back as bigint, so that sen are never doubles. An appName in the address goes before `appName`.
 */
export async function connectStore(options: { uri: string; database: string; appName: string }): Promise<Store> {
  const client = new MongoClient(options.uri, {
    ...(/[?&]appname=/i.test(options.uri) ? {} : { appName: options.appName }),
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
      await db.command({ ping: 1 }, { signal: AbortSignal.timeout(PING_MS) });
    },
    isAway: isDatabaseAway,
    close: () => client.close(),
  };
}
