import { randomBytes } from 'node:crypto';
import { withAppName } from '@gerbang/fail-points';
import { MongoClient } from 'mongodb';
import { refuseNewShapes } from './allowed-shapes.ts';

/** A MongoDB for tests; its address has an appName and it has a prefix for database names that no other test uses. */
export type TestMongo = { uri: string; databasePrefix: string; stop(): Promise<void> };

/** The server that MONGODB_URI names, else an embedded one of the test's own. `stop` removes the test's databases. */
export async function startTestMongo(): Promise<TestMongo> {
  const name = `test_${randomBytes(5).toString('hex')}`;
  const databasePrefix = `${name}_`;
  const given = process.env.MONGODB_URI;
  if (given !== undefined && given !== '') {
    const uri = withAppName(given, name);
    return { uri, databasePrefix, stop: () => dropDatabases(uri, databasePrefix) };
  }
  const { EmbeddedMongo } = await import('@gerbang/embedded-mongo');
  // What would be a fault with the documents or the database of production is one in tests: a query that no index serves, a write
  // that no one has looked at, and relying on an order that was not asked for.
  const server = await EmbeddedMongo.start({ noTableScan: true, shuffleUnsorted: true, refuse: refuseNewShapes });
  return { uri: withAppName(server.uri, name), databasePrefix, stop: () => server.stop() };
}

async function dropDatabases(uri: string, prefix: string): Promise<void> {
  const client = new MongoClient(uri);
  try {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    for (const { name } of databases) if (name.startsWith(prefix)) await client.db(name).dropDatabase();
  } finally {
    await client.close();
  }
}
