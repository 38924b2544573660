import { failCommand, startTestMongo, type TestMongo } from '@gerbang/testkit';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { combine } from '../src/combine.ts';
import { combineInserts, combineUpdates, connectStore, type Store } from '../src/index.ts';

type Item = { _id: string; color: string; size?: number };

let mongo: TestMongo;
let store: Store;

beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}combined`, appName: 'test' });
});

afterAll(async () => {
  await store?.close();
  await mongo?.stop();
});

const items = () => store.collection<Item>('items');

async function stored(...ids: string[]) {
  await items().insertMany(ids.map((_id) => ({ _id, color: 'red' })));
}

const isPainted = (color: string) => (document: { color?: unknown }) => document.color === color;

function paint(_id: string, color: string) {
  return { _id, condition: { color: 'red' }, update: { $set: { color } }, isMine: isPainted(color) };
}

/** 'rejected', or what was given. */
async function settled<T>(promises: readonly Promise<T>[]): Promise<(T | 'rejected')[]> {
  return (await Promise.allSettled(promises)).map((one) => (one.status === 'fulfilled' ? one.value : 'rejected'));
}

test('what comes while a batch is under way leaves together, a lone operation at once', async () => {
  const batches: number[][] = [];
  const release: (() => void)[] = [];
  const double = combine(async (numbers: readonly number[]) => {
    batches.push([...numbers]);
    await new Promise<void>((resolve) => release.push(resolve));
    return numbers.map((number) => ({ result: 2 * number }));
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const one = double(1);
  await turn();
  const others = [double(2), double(3)];
  await turn();
  expect(batches).toEqual([[1]]);
  release.shift()?.();
  expect(await one).toBe(2);
  await turn();
  expect(batches).toEqual([[1], [2, 3]]);
  release.shift()?.();
  expect(await Promise.all(others)).toEqual([4, 6]);
});

test('one operation that fails is nobody else’s business; where the batch fails, all do, and the next goes on', async () => {
  const positive = combine(async (numbers: readonly number[]) => {
    if (numbers.includes(0)) throw new Error('zero');
    return numbers.map((number) => (number > 0 ? { result: number } : { error: new Error('negative') }));
  });
  expect(await settled([1, -1, 2].map(positive))).toEqual([1, 'rejected', 2]);
  expect(await settled([1, 0].map(positive))).toEqual(['rejected', 'rejected']);
  expect(await positive(3)).toBe(3);
});

test('a thousand operations at once are several batches', async () => {
  const sizes: number[] = [];
  const same = combine(async (numbers: readonly number[]) => {
    sizes.push(numbers.length);
    return numbers.map((result) => ({ result }));
  });
  const numbers = Array.from({ length: 1_000 }, (_, index) => index);
  expect(await Promise.all(numbers.map(same))).toEqual(numbers);
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes.length).toBeLessThan(20);
});

test('inserts that concur are one command, and each is told whether its id was free', async () => {
  const client = await MongoClient.connect(mongo.uri, { monitorCommands: true });
  const commands: string[] = [];
  client.on('commandStarted', ({ commandName }) => commands.push(commandName));
  const collection = client.db(`${mongo.databasePrefix}combined`).collection<Item>('items');
  await stored('insert-taken');
  const insert = combineInserts(collection);
  const ids = ['insert-a', 'insert-taken', 'insert-b', 'insert-a'];
  const isInserted = await Promise.all(ids.map((_id, size) => insert({ _id, color: 'green', size })));
  expect(isInserted).toEqual([true, false, true, false]);
  expect(await items().findOne({ _id: 'insert-a' })).toMatchObject({ size: 0 });
  expect(await items().findOne({ _id: 'insert-taken' })).toMatchObject({ color: 'red' });
  expect(await insert({ _id: 'insert-taken', color: 'green' })).toBe(false);
  expect(commands).toEqual(['insert', 'insert']);
  await client.close();
});

test('updates that concur are one command, and each is told whether its condition held', async () => {
  await stored('update-a', 'update-b', 'update-c');
  await items().updateOne({ _id: 'update-b' }, { $set: { color: 'black' } });
  const update = combineUpdates(items());
  const ids = ['update-a', 'update-b', 'update-c', 'update-missing'];
  expect(await Promise.all(ids.map((id) => update(paint(id, 'blue'))))).toEqual([true, false, true, false]);
  expect(await update(paint('update-b', 'blue'))).toBe(false);
  expect(await items().findOne({ _id: 'update-b' })).toMatchObject({ color: 'black' });
});

test('of two updates of one document in one command the first is made', async () => {
  await stored('twice');
  const update = combineUpdates(items());
  expect(await Promise.all(['blue', 'green'].map((color) => update(paint('twice', color))))).toEqual([true, false]);
});

test('an update that the database refuses is the error of that one', async () => {
  await stored('refused-a', 'refused-b');
  const update = combineUpdates(items());
  const invalid = { ...paint('refused-b', 'blue'), update: { $inc: { color: 1 } } };
  expect(await settled([update(paint('refused-a', 'blue')), update(invalid), update(paint('refused-c', 'blue'))])).toEqual([
    true,
    'rejected',
    false,
  ]);
});

test('a write concern error is the error of all: none may be durable', async () => {
  await stored('concern-a', 'concern-b', 'concern-taken');
  const writeConcernError = { code: 64, errmsg: 'waiting for replication timed out' };
  await using _ = await failCommand(mongo.uri, { times: 2 }, { failCommands: ['insert', 'update'], writeConcernError });
  const update = combineUpdates(items());
  expect(await settled(['concern-a', 'concern-b'].map((id) => update(paint(id, 'blue'))))).toEqual(['rejected', 'rejected']);
  const insert = combineInserts(items());
  const ids = ['concern-c', 'concern-taken'];
  expect(await settled(ids.map((_id) => insert({ _id, color: 'red' })))).toEqual(['rejected', 'rejected']);
});

test('a lost answer is the error of all, unless the driver’s second attempt gets one', async () => {
  await stored('lost-a', 'lost-b');
  const update = combineUpdates(items());
  const both = (color: string) => settled(['lost-a', 'lost-b'].map((id) => update(paint(id, color))));
  await using _ = await failCommand(mongo.uri, { times: 2 }, { failCommands: ['update'], closeConnection: true });
  expect(await both('blue')).toEqual(['rejected', 'rejected']);
  expect(await both('blue')).toEqual([true, true]);
});
