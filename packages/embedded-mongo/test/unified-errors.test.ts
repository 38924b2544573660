import { type AnyBulkWriteOperation, type Document, MongoBulkWriteError, MongoClient, MongoNetworkTimeoutError } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EmbeddedMongo } from '../src/index.ts';
import { fromServer } from './unified/errors.ts';

let server: EmbeddedMongo;
let client: MongoClient;
beforeAll(async () => {
  server = await EmbeddedMongo.start();
  client = new MongoClient(server.uri, { socketTimeoutMS: 200, retryWrites: false });
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

const failOnce = (data: Document) => {
  const failCommands = ['insert'];
  return client.db('admin').command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data: { failCommands, ...data } });
};

const write = async (...operations: AnyBulkWriteOperation<{ _id: number }>[]): Promise<unknown> =>
  client
    .db('t')
    .collection<{ _id: number }>('c')
    .bulkWrite(operations)
    .then(
      () => undefined,
      (error: unknown) => error,
    );

test('a bulk write that timed out on the network has no answer of the server', async () => {
  await failOnce({ blockConnection: true, blockTimeMS: 600 });
  const error = await write({ insertOne: { document: { _id: 1 } } });
  if (!(error instanceof MongoBulkWriteError)) throw new Error('expected the error of a bulk write', { cause: error });
  expect(error.errorResponse).toBeInstanceOf(MongoNetworkTimeoutError);
  expect(fromServer(error)).toBe(false);
});

test('a bulk write whose connection was closed has none either', async () => {
  await failOnce({ closeConnection: true });
  const error = await write({ insertOne: { document: { _id: 2 } } });
  expect(error).toBeInstanceOf(MongoBulkWriteError);
  expect(error instanceof Error && fromServer(error)).toBe(false);
});

test.each([
  ['refused as a whole', { errorCode: 11 }],
  ['whose write concern failed', { writeConcernError: { code: 64, errmsg: 'waiting' } }],
])('a bulk write %s has one', async (_name, data) => {
  await failOnce(data);
  const error = await write({ insertOne: { document: { _id: 3 } } });
  expect(error).toBeInstanceOf(MongoBulkWriteError);
  expect(error instanceof Error && fromServer(error)).toBe(true);
});

test('a bulk write of which one document was refused has one', async () => {
  const error = await write({ insertOne: { document: { _id: 4 } } }, { insertOne: { document: { _id: 4 } } });
  expect(error).toBeInstanceOf(MongoBulkWriteError);
  expect(error instanceof Error && fromServer(error)).toBe(true);
});
