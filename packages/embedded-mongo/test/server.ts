import { MongoClient, type MongoClientOptions } from 'mongodb';
import { EmbeddedMongo } from '../src/index.ts';

/** A client of a fresh server, or of the one MONGODB_URI names; `close` ends both. */
export async function connect(
  options: MongoClientOptions = {},
): Promise<{ client: MongoClient; uri: string; close: () => Promise<void> }> {
  const external = process.env.MONGODB_URI;
  const server = external ? undefined : await EmbeddedMongo.start();
  const uri = external ?? server?.uri ?? '';
  const client = new MongoClient(uri, options);
  await client.connect();
  return {
    client,
    uri,
    close: async () => {
      await client.close();
      await server?.stop();
    },
  };
}
