import { failCommand, startTestMongo, type TestMongo } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectStore, insertMissing, type Store } from '../src/index.ts';

let mongo: TestMongo;
let store: Store;

beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}missing`, appName: 'test' });
});

afterAll(async () => {
  await store?.close();
  await mongo?.stop();
});

const items = () => store.collection<{ _id: string }>('items');

test('tells what it has inserted from what was there', async () => {
  await items().insertOne({ _id: 'b' });
  expect(await insertMissing(items(), [{ _id: 'a' }, { _id: 'b' }, { _id: 'c' }])).toEqual(new Set(['a', 'c']));
  expect(await insertMissing(items(), [{ _id: 'a' }])).toEqual(new Set());
  expect(await insertMissing(items(), [])).toEqual(new Set());
});

test('a connection that is cut, and cut again, is an error: nothing may be taken for stored', async () => {
  // Twice, because the driver itself tries a second time.
  await using _ = await failCommand(mongo.uri, { times: 2 }, { failCommands: ['insert'], closeConnection: true });
  await expect(insertMissing(items(), [{ _id: 'x' }, { _id: 'y' }])).rejects.toThrow();
  expect(await items().findOne({ _id: 'x' })).toBeNull();
  expect(await insertMissing(items(), [{ _id: 'x' }, { _id: 'y' }])).toEqual(new Set(['x', 'y']));
});

test('a write concern error is an error, though all was written', async () => {
  const writeConcernError = { code: 64, errmsg: 'waiting for replication timed out' };
  await using _ = await failCommand(mongo.uri, { times: 1 }, { failCommands: ['insert'], writeConcernError });
  await expect(insertMissing(items(), [{ _id: 'p' }, { _id: 'a' }])).rejects.toThrow();
});
