import { failCommand, startTestMongo, type TestMongo } from '@gerbang/testkit';
import { MongoClient, MongoServerError } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectStore, isDatabaseAway, type Store } from '../src/index.ts';

let mongo: TestMongo;
let store: Store;

beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}away`, appName: 'test' });
});

afterAll(async () => {
  await store?.close();
  await mongo?.stop();
});

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('it worked'),
    (error: unknown) => error,
  );
const insert = (id: string) => failureOf(store.collection<{ _id: string }>('things').insertOne({ _id: id }));

test.each([
  ['a lost connection', { closeConnection: true }],
  ['a server that is no primary any more', { errorCode: 10107 }],
  ['a server that is stopping', { errorCode: 91 }],
  ['an interruption at a shutdown', { errorCode: 11600 }],
  ['a write that did not reach the majority', { writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } }],
])('%s', async (what, failure) => {
  await using _ = await failCommand(mongo.uri, { times: 3 }, { failCommands: ['insert'], ...failure });
  const error = await insert(what);
  expect(isDatabaseAway(error)).toBe(true);
  expect(isDatabaseAway(new Error('outside', { cause: error }))).toBe(true);
});

test('a server that is not there', async () => {
  const client = new MongoClient('mongodb://127.0.0.1:9', { serverSelectionTimeoutMS: 100 });
  expect(isDatabaseAway(await failureOf(client.connect()))).toBe(true);
  await client.close();
});

test('a store that was closed', async () => {
  const closed = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}away`, appName: 'test' });
  await closed.close();
  expect(isDatabaseAway(await failureOf(closed.db.collection('things').findOne()))).toBe(true);
});

test('a fault of ours is none', async () => {
  await store.collection<{ _id: string }>('things').insertOne({ _id: 'taken' });
  expect(isDatabaseAway(await insert('taken'))).toBe(false);
  expect(isDatabaseAway(new MongoServerError({ code: 2, message: 'BadValue' }))).toBe(false);
  for (const other of [new Error('x'), new TypeError('x'), undefined, 'x']) expect(isDatabaseAway(other)).toBe(false);
});
