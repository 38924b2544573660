import { randomBytes } from 'node:crypto';
import { withAppName } from '@gerbang/fail-points';
import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { EmbeddedMongo } from '../src/index.ts';

/**
 * A client of a fresh server, or of the one MONGODB_URI names, and a database of the test's own; `close` drops it and ends both.
 */
export async function connect(
  options: MongoClientOptions = {},
): Promise<{ client: MongoClient; db: Db; uri: string; close: () => Promise<void> }> {
  const name = `test_${randomBytes(5).toString('hex')}`;
  const external = process.env.MONGODB_URI;
  const server = external ? undefined : await EmbeddedMongo.start();
  const uri = withAppName(external ?? server?.uri ?? '', name);
  const client = new MongoClient(uri, options);
  await client.connect();
  const db = client.db(name);
  return {
    client,
    db,
    uri,
    close: async () => {
      await db.dropDatabase();
      await client.close();
      await server?.stop();
    },
  };
}
