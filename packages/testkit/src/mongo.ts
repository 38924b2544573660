import { randomBytes } from 'node:crypto';

/** A MongoDB for tests, and a prefix for database names that no other test uses. */
export type TestMongo = { uri: string; databasePrefix: string; stop(): Promise<void> };

/** The server that MONGODB_URI names, else an embedded one of the test's own. */
export async function startTestMongo(): Promise<TestMongo> {
  const databasePrefix = `test_${randomBytes(5).toString('hex')}_`;
  const uri = process.env.MONGODB_URI;
  if (uri !== undefined && uri !== '') return { uri, databasePrefix, stop: async () => {} };
  const { EmbeddedMongo } = await import('@gerbang/embedded-mongo');
  // A query that no index serves is an error in tests: with the documents of production it would be a fault.
  const server = await EmbeddedMongo.start({ noTableScan: true });
  return { uri: server.uri, databasePrefix, stop: () => server.stop() };
}
