import { failCommand, lockFailPoints } from '@gerbang/fail-points';
import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connect } from './server.ts';

let db: Db;
let client: MongoClient;
let uri: string;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ client, db, uri, close } = await connect());
});
afterAll(async () => close?.());
beforeEach(async () => {
  await db.dropDatabase();
});

test('let binds constant expressions', async () => {
  await db.collection('c').insertMany([{ x: '$a' }, { x: 3 }] as never[]);
  const bound = { text: { $literal: '$a' }, sum: { $add: [1, 2] } };
  const found = await db
    .collection('c')
    .aggregate([{ $project: { _id: 0, text: '$$text', sum: '$$sum' } }, { $limit: 1 }], { let: bound })
    .toArray();
  expect(found).toEqual([{ text: '$a', sum: 3 }]);
  expect(await db.collection('c').countDocuments({ $expr: { $in: ['$x', ['$$text', '$$sum']] } }, { let: bound } as object)).toBe(
    2,
  );
  await db.collection('c').updateMany({}, [{ $set: { y: '$$text' } }], { let: bound });
  expect(await db.collection('c').countDocuments({ y: '$a' })).toBe(2);
});

test('$merge tells of a duplicate as an insert does, and binds its own variables to each document', async () => {
  await db.collection<{ _id: number }>('from').insertMany([{ _id: 1, n: 5 }] as never[]);
  await db.collection<{ _id: number; n: number }>('into').insertOne({ _id: 1, n: 1 });
  const failing = db.collection('from').aggregate([{ $merge: { into: 'into', whenMatched: 'fail' } }]);
  await expect(failing.toArray()).rejects.toMatchObject({ code: 11000, keyPattern: { _id: 1 }, keyValue: { _id: 1 } });
  const adding = [{ $set: { n: { $add: ['$n', '$$more'] } } }];
  await db
    .collection('from')
    .aggregate([{ $merge: { into: 'into', let: { more: { $multiply: ['$n', 2] } }, whenMatched: adding } }])
    .toArray();
  expect(await db.collection('into').findOne({})).toEqual({ _id: 1, n: 11 });
});

test.each([
  ['an unknown field of one statement', { update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, nothing: 1 }] }, 40415],
  [
    'a pipeline that writes, read linearizably',
    { aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {}, readConcern: { level: 'linearizable' } },
    72,
  ],
  ['an unknown version of the API', { ping: 1, apiVersion: '7' }, 322],
  ['strictness without a version', { ping: 1, apiStrict: true }, 72],
  ['a command outside of the strict API', { distinct: 'c', key: 'a', apiVersion: '1', apiStrict: true }, 323],
  [
    'a stage outside of the strict API',
    { aggregate: 1, pipeline: [{ $listLocalSessions: {} }], cursor: {}, apiVersion: '1', apiStrict: true },
    323,
  ],
  ['search indexes', { createSearchIndexes: 'c', indexes: [{ definition: {} }] }, expect.any(Number)],
])('the whole command is refused, and nothing written: %s', async (_, command, code) => {
  await db.collection('c').insertOne({ a: 0 });
  await expect(db.command(command)).rejects.toMatchObject({ code, ok: 0 });
  expect(
    await db
      .collection('c')
      .find({}, { projection: { _id: 0 } })
      .toArray(),
  ).toEqual([{ a: 0 }]);
  expect((await db.listCollections().toArray()).map(({ name }) => name)).toEqual(['c']);
});

test('the strict API has the commands that services use', async () => {
  const strict = { apiVersion: '1', apiStrict: true };
  await db.command({ insert: 'c', documents: [{ _id: 1 }], ...strict });
  expect((await db.command({ find: 'c', ...strict })).cursor.firstBatch).toEqual([{ _id: 1 }]);
});

test('a fail point with a name strikes the clients of that name alone', async () => {
  await using _ = await lockFailPoints(uri);
  const [struck, spared] = [`struck ${db.databaseName}`, `spared ${db.databaseName}`].map(
    (appName) => new MongoClient(uri, { appName }),
  );
  if (!struck || !spared) throw new Error('there are two');
  try {
    await client.db('admin').command({
      configureFailPoint: 'failCommand',
      mode: 'alwaysOn',
      data: { failCommands: ['count'], errorCode: 8000, appName: struck.options.appName },
    });
    const count = (of: MongoClient) => of.db(db.databaseName).command({ count: 'c' });
    expect(await count(spared)).toMatchObject({ n: 0 });
    expect(await count(client)).toMatchObject({ n: 0 });
    await expect(count(struck)).rejects.toMatchObject({ code: 8000 });
  } finally {
    await client.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
    await struck.close();
    await spared.close();
  }
});

test('a fail point with a namespace strikes that collection alone', async () => {
  const namespace = `${db.databaseName}.struck`;
  await using _ = await failCommand(uri, 'alwaysOn', { failCommands: ['count'], namespace, errorCode: 8000 });
  expect(await db.command({ count: 'spared' })).toMatchObject({ n: 0 });
  await expect(db.command({ count: 'struck' })).rejects.toMatchObject({ code: 8000 });
});
