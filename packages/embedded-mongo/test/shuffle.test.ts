import { type Collection, type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EmbeddedMongo } from '../src/index.ts';

type Doc = { _id: number } & Document;
let server: EmbeddedMongo;
let client: MongoClient;
let docs: Collection<Doc>;
const many = 40;
const all = Array.from({ length: many }, (_, _id) => _id);

beforeAll(async () => {
  server = await EmbeddedMongo.start({ shuffleUnsorted: true });
  client = new MongoClient(server.uri);
  docs = client.db('t').collection<Doc>('docs');
  await docs.createIndex({ a: 1 });
  await docs.insertMany(all.map((_id) => ({ _id, a: 1, b: _id % 2, n: 0 })));
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

const ids = (found: readonly Document[]) => found.map(({ _id }) => Number(_id));
const ascending = (found: readonly number[]) => found.toSorted((a, b) => a - b);

/** What runs say, each as text: with an order of 40 documents two alike are a chance of one in 40! */
const several = async (runs: number, run: () => Promise<unknown>) => {
  const seen = new Set<string>();
  for (let at = 0; at < runs; at++) seen.add(JSON.stringify(await run()));
  return seen;
};

describe('with shuffleUnsorted', () => {
  test.each([
    ['a whole collection', () => docs.find({}).toArray()],
    ['a walk of it', () => docs.find({ n: 0 }).toArray()],
    ['an index', () => docs.find({ a: 1 }).toArray()],
    ['several batches', () => docs.find({ a: 1 }, { batchSize: 3 }).toArray()],
    ['$or', () => docs.find({ $or: [{ a: 1 }, { _id: { $lt: 5 } }] }).toArray()],
    ['an aggregation', () => docs.aggregate([{ $match: { a: 1 } }]).toArray()],
    ['a hint on an index', () => docs.find({}, { hint: { a: 1 } }).toArray()],
  ] as Array<[string, () => Promise<Document[]>]>)('%s comes in any order, complete', async (_name, find) => {
    const orders = await several(5, async () => ids(await find()));
    expect(orders.size).toBe(5);
    for (const order of orders) expect(ascending(JSON.parse(order))).toEqual(all);
  });

  test('a limit and a skip may leave any documents', async () => {
    expect((await several(60, async () => (await docs.findOne({ a: 1 }))?._id)).size).toBeGreaterThan(10);
    expect((await several(10, async () => ids(await docs.find({}).skip(38).toArray()))).size).toBeGreaterThan(3);
    expect(await docs.find({ a: 1 }).limit(7).toArray()).toHaveLength(7);
  });

  test('distinct values come in any order', async () => {
    const orders = await several(5, () => docs.distinct('_id', { a: 1 }));
    expect(orders.size).toBe(5);
    for (const order of orders) expect(ascending(JSON.parse(order))).toEqual(all);
  });

  test('a write to one of many may pick any', async () => {
    const picked = new Set<number>();
    for (let at = 0; at < 60; at++) picked.add((await docs.findOneAndUpdate({ a: 1 }, { $inc: { n: 1 } }))?._id ?? -1);
    expect(picked.size).toBeGreaterThan(10);
    await docs.updateMany({}, { $set: { n: 0 } });
    for (let at = 0; at < 60; at++) await docs.updateOne({ a: 1 }, { $inc: { n: 1 } });
    expect(await docs.countDocuments({ n: { $gt: 0 } })).toBeGreaterThan(10);
    await docs.updateMany({}, { $set: { n: 0 } });
    const left = client.db('t').collection<Doc>('left');
    const remaining = await several(10, async () => {
      await left.deleteMany({});
      await left.insertMany(all.map((_id) => ({ _id })));
      for (let at = 0; at < 30; at++) await left.deleteOne({});
      return ascending(ids(await left.find({}).toArray()));
    });
    expect(remaining.size).toBe(10);
  });

  test('a sort, $natural and an _id are orders', async () => {
    for (let at = 0; at < 5; at++) {
      expect(ids(await docs.find({}).sort({ _id: -1 }).toArray())).toEqual(all.toReversed());
      expect(ids(await docs.find({}).sort({ $natural: 1 }).toArray())).toEqual(all);
      expect(ids(await docs.find({}, { hint: { $natural: -1 } }).toArray())).toEqual(all.toReversed());
      expect(ids(await docs.aggregate([{ $match: { a: 1 } }, { $sort: { _id: 1 } }]).toArray())).toEqual(all);
      expect(await docs.findOneAndUpdate({ a: 1 }, { $set: { b: 0 } }, { sort: { _id: 1 } })).toMatchObject({ _id: 0 });
      expect(await docs.findOne({ _id: 7 })).toMatchObject({ _id: 7 });
    }
    expect(await docs.countDocuments({ a: 1 })).toBe(many);
  });

  test('of more than are held at once, those of either end come first', async () => {
    const large = client.db('t').collection<Doc>('large');
    await large.insertMany(Array.from({ length: 5000 }, (_, _id) => ({ _id })));
    const firsts = [...(await several(30, async () => (await large.findOne({}))?._id))].map(Number);
    expect(firsts.some((id) => id < 1001)).toBe(true);
    expect(firsts.some((id) => id > 3998)).toBe(true);
    const found = ids(await large.find({}).toArray());
    expect(ascending(found)).toEqual(Array.from({ length: 5000 }, (_, _id) => _id));
    expect(found).not.toEqual(ascending(found));
  });
});

test('it is off by default, and a parameter of the server', async () => {
  const other = await EmbeddedMongo.start();
  const connected = new MongoClient(other.uri);
  const collection = connected.db('t').collection<Doc>('c');
  const admin = connected.db('admin');
  await collection.insertMany(all.map((_id) => ({ _id })));
  expect(await admin.command({ getParameter: 1, shuffleUnsorted: 1 })).toMatchObject({ shuffleUnsorted: false });
  for (let at = 0; at < 5; at++) expect(ids(await collection.find({}).toArray())).toEqual(all);
  expect(await admin.command({ setParameter: 1, shuffleUnsorted: true })).toMatchObject({ was: false });
  expect((await several(5, async () => ids(await collection.find({}).toArray()))).size).toBe(5);
  expect(await admin.command({ setParameter: 1, shuffleUnsorted: false })).toMatchObject({ was: true });
  expect(ids(await collection.find({}).toArray())).toEqual(all);
  await connected.close();
  await other.stop();
});
