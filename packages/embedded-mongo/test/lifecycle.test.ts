import { type Db, Decimal128, type Document, Long, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EmbeddedMongo } from '../src/index.ts';
import { connect } from './server.ts';

let close: () => Promise<void>;
let client: MongoClient;
let db: Db;
beforeAll(async () => {
  const connected = await connect({ promoteLongs: false });
  ({ client, db, close } = connected);
});
afterAll(async () => close());

describe('collections and databases', () => {
  test('are listed while they exist', async () => {
    const own = client.db(`${db.databaseName}_listed`);
    await own.createCollection('empty');
    await own.collection('used').insertOne({ a: 1 });
    expect((await own.listCollections().toArray()).map(({ name }) => name).sort()).toEqual(['empty', 'used']);
    expect((await own.listCollections({ name: 'used' }, { nameOnly: true }).toArray()).map(({ name }) => name)).toEqual(['used']);
    const listed = async () =>
      (
        await client
          .db()
          .admin()
          .listDatabases({ filter: { name: own.databaseName } })
      ).databases;
    expect(await listed()).toMatchObject([{ name: own.databaseName }]);
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
    expect(databases.map(({ name }) => name)).toContain(own.databaseName);
    await own.dropDatabase();
    expect(await listed()).toEqual([]);
    expect(await own.listCollections().toArray()).toEqual([]);
  });

  test('a dropped collection is gone with its indexes, and its cursors end', async () => {
    const dropped = db.collection<Document>('dropped');
    await dropped.createIndex({ a: 1 }, { unique: true });
    await dropped.insertMany(Array.from({ length: 300 }, (_, a) => ({ a })));
    const cursor = dropped.find({}, { batchSize: 10 });
    await cursor.next();
    expect(await dropped.drop()).toBe(true);
    await expect(cursor.toArray()).rejects.toMatchObject({ code: 175 });
    expect(await dropped.countDocuments()).toBe(0);
    await dropped.insertMany([{ a: 1 }, { a: 1 }]);
    expect((await dropped.indexes()).map(({ name }) => name)).toEqual(['_id_']);
  });

  test('what is dropped stays dropped after a restart, and what is beside it stays', async () => {
    const server = await EmbeddedMongo.start();
    const other = new MongoClient(server.uri);
    await other.db('a').collection<Document>('x').insertOne({ n: 1 });
    await other.db('a').collection<Document>('y').insertOne({ n: 2 });
    await other.db('b').collection<Document>('x').insertOne({ n: 3 });
    await other.db('a').dropDatabase();
    expect(await other.db('a').collection('x').countDocuments()).toBe(0);
    expect(await other.db('b').collection('x').findOne({})).toMatchObject({ n: 3 });
    await other.close();
    await server.stop();
  });
});

test('documents past their TTL are removed, others stay', async () => {
  const server = await EmbeddedMongo.start({ expiryIntervalMs: 20, noTableScan: true });
  const other = new MongoClient(server.uri);
  const kept = other.db('t').collection<Document>('kept');
  await kept.createIndex({ remove_at: 1 }, { expireAfterSeconds: 0 });
  await kept.createIndex({ at: 1 }, { expireAfterSeconds: 3600, partialFilterExpression: { done: { $eq: true } } });
  const past = new Date(Date.now() - 10_000_000);
  const future = new Date(Date.now() + 10_000_000);
  const stays = [
    { name: 'later', remove_at: future },
    { name: 'no date', remove_at: 'yesterday' },
    { name: 'missing' },
    { name: 'not done', at: past, done: false },
    { name: 'done just now', at: new Date(), done: true },
    { name: 'only later dates', remove_at: [future] },
  ];
  const goes = [
    { name: 'over', remove_at: past },
    { name: 'one of its dates is over', remove_at: [future, past] },
    { name: 'done long ago', at: past, done: true },
  ];
  await kept.insertMany([...goes, ...stays]);
  await expect.poll(async () => await kept.countDocuments({}), { timeout: 5_000 }).toBe(stays.length);
  expect((await kept.find({}).toArray()).map(({ name }) => name).sort()).toEqual(stays.map(({ name }) => name).sort());
  await other.close();
  await server.stop();
});

describe('limits', () => {
  test('a command ends when its time is over, and changes nothing', async () => {
    const slow = db.collection<Document>('slow');
    await slow.insertMany(Array.from({ length: 20_000 }, (_, n) => ({ n })));
    const filter = { $expr: { $eq: [{ $strLenCP: { $toString: { $multiply: ['$n', '$n'] } } }, -1] } };
    await expect(slow.find(filter, { maxTimeMS: 1 }).toArray()).rejects.toMatchObject({ code: 50, codeName: 'MaxTimeMSExpired' });
    await expect(slow.updateMany(filter, { $set: { x: 1 } }, { maxTimeMS: 1 })).rejects.toMatchObject({ code: 50 });
    expect(await slow.countDocuments({}, { maxTimeMS: 20_000 })).toBe(20_000);
  });

  test('a sort without an index holds 100 MiB at most; one with a limit needs no more than its result', async () => {
    const server = await EmbeddedMongo.start();
    const other = new MongoClient(server.uri);
    const large = other.db('t').collection<Document>('large');
    for (let n = 0; n < 11; n++) {
      await large.insertMany(Array.from({ length: 10 }, (_, at) => ({ n: n * 10 + at, text: 'x'.repeat(1024 * 1024) })));
    }
    const memory = { code: 292, codeName: 'QueryExceededMemoryLimitNoDiskUseAllowed' };
    await expect(large.find({}).sort({ n: -1 }).toArray()).rejects.toMatchObject(memory);
    await expect(large.aggregate([{ $set: { m: '$n' } }, { $sort: { m: 1 } }]).toArray()).rejects.toMatchObject(memory);
    await large.updateMany({}, { $set: { text: 'x'.repeat(60_000) } });
    const newest = await large
      .find({}, { projection: { n: 1, _id: 0 } })
      .sort({ n: -1 })
      .skip(1)
      .limit(2)
      .toArray();
    expect(newest).toEqual([{ n: 108 }, { n: 107 }]);
    await other.close();
    await server.stop();
  }, 30_000);
});

describe('expressions', () => {
  const decimal = (text: string) => Decimal128.fromString(text);
  const one = async (expression: unknown) =>
    (await db.aggregate([{ $documents: [{ d: decimal('10.5'), n: 7, s: '12' }] }, { $project: { r: expression } }]).next())?.r;
  test.each([
    [{ $divide: ['$d', 3] }, decimal('3.5')],
    [{ $divide: [decimal('1'), decimal('3')] }, decimal('0.3333333333333333333333333333333333')],
    [{ $divide: [decimal('2'), decimal('3')] }, decimal('0.6666666666666666666666666666666667')],
    [{ $divide: [decimal('-1'), 8] }, decimal('-0.125')],
    [{ $mod: ['$d', 3] }, decimal('1.5')],
    [{ $mod: [decimal('-10.5'), 3] }, decimal('-1.5')],
    [{ $round: [decimal('2.345'), 2] }, decimal('2.34')],
    [{ $round: decimal('-2.5') }, decimal('-2')],
    [{ $trunc: [decimal('-2.99'), 1] }, decimal('-2.9')],
    [{ $floor: decimal('-2.1') }, decimal('-3')],
    [{ $ceil: '$d' }, decimal('11')],
    [{ $avg: [decimal('1'), decimal('2')] }, decimal('1.5')],
    [{ $convert: { input: '$s', to: 'int' } }, 12],
    [{ $convert: { input: '$n', to: 18 } }, Long.fromNumber(7)],
    [{ $convert: { input: 'x', to: 'int', onError: 'none' } }, 'none'],
    [{ $convert: { input: '$missing', to: 'int', onNull: 'null' } }, 'null'],
    [{ $convert: { input: '$missing', to: 'int' } }, null],
  ])('%j', async (expression, expected) => {
    expect(await one(expression)).toEqual(expected);
  });

  test('conversions that fail are refused', async () => {
    await expect(one({ $convert: { input: 'x', to: 'int' } })).rejects.toMatchObject({ code: 241 });
    await expect(one({ $convert: { input: '$s', to: 'nothing' } })).rejects.toMatchObject({ code: 2 });
    await expect(one({ $divide: ['$d', 0] })).rejects.toMatchObject({ code: 2 });
  });
});
