import { startTestMongo, type TestMongo } from '@gerbang/testkit';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectStore, insertMissing, type Store } from '../src/index.ts';

let mongo: TestMongo;
let store: Store;
let control: MongoClient;

beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}missing`, appName: 'test' });
  control = await new MongoClient(mongo.uri).connect();
});

afterAll(async () => {
  await control?.close();
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
  await control.db('admin').command({
    configureFailPoint: 'failCommand',
    mode: { times: 2 },
    data: { failCommands: ['insert'], closeConnection: true },
  });
  await expect(insertMissing(items(), [{ _id: 'x' }, { _id: 'y' }])).rejects.toThrow();
  expect(await items().findOne({ _id: 'x' })).toBeNull();
  expect(await insertMissing(items(), [{ _id: 'x' }, { _id: 'y' }])).toEqual(new Set(['x', 'y']));
});

test('a write concern error is an error, though all was written', async () => {
  await control.db('admin').command({
    configureFailPoint: 'failCommand',
    mode: { times: 1 },
    data: { failCommands: ['insert'], writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } },
  });
  await expect(insertMissing(items(), [{ _id: 'p' }, { _id: 'a' }])).rejects.toThrow();
});
