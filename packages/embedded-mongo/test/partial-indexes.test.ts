import type { Collection, Db, Document, IndexDescription } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeDocument } from '../src/bson/decode.ts';
import { expireDocuments } from '../src/storage/expiry.ts';
import { documentsOf, startInProcess } from './self-check/server.ts';
import { connect } from './server.ts';

type Doc = { _id: string | number } & Document;
let close: () => Promise<void>;
let db: Db;
let number = 0;
beforeAll(async () => {
  const connected = await connect();
  close = connected.close;
  db = connected.db;
});
afterAll(async () => close());

const fresh = async (...indexes: IndexDescription[]): Promise<Collection<Doc>> => {
  const collection = db.collection<Doc>(`c${number++}`);
  await collection.createIndexes(indexes);
  return collection;
};

const isServed = async (collection: Collection<Doc>, filter: Document, sort: Document = {}) => {
  const { queryPlanner } = await collection
    .find(filter)
    .sort(sort as never)
    .explain('queryPlanner');
  return !JSON.stringify(queryPlanner.winningPlan).includes('COLLSCAN');
};

const day = new Date(0);

/** What the server's planner concludes, and what it does not although it is true. */
const implications: Array<[string, Document, Document, boolean]> = [
  ['the same $type', { a: { $type: 'date' } }, { a: { $type: 'date' } }, true],
  ['the same $type by its number', { a: { $type: 'date' } }, { a: { $type: 9 } }, true],
  ['the same $type in a list', { a: { $type: 'date' } }, { a: { $type: ['date'] } }, true],
  ['the same $type beside a range', { a: { $type: 'date' } }, { a: { $lte: day, $type: 'date' } }, true],
  ['not a range of dates', { a: { $type: 'date' } }, { a: { $lte: day } }, false],
  ['not a date', { a: { $type: 'date' } }, { a: day }, false],
  ['not a narrower $type', { a: { $type: ['date', 'string'] } }, { a: { $type: 'date' } }, false],
  ['an equality', { a: 1 }, { a: 1 }, true],
  ['an equality in $and', { a: 1 }, { $and: [{ b: 2 }, { $and: [{ a: { $eq: 1 } }] }] }, true],
  ['an equality as a list of one', { a: 1 }, { a: { $in: [1] } }, true],
  ['not a list of more', { a: 1 }, { a: { $in: [1, 2] } }, false],
  ['not a range around it', { a: 1 }, { a: { $gte: 1, $lte: 1 } }, false],
  ['another equality', { a: 1 }, { a: 2 }, false],
  ['a narrower range', { a: { $gt: 5 } }, { a: { $gte: 6 } }, true],
  ['not a range that reaches the edge', { a: { $gt: 5 } }, { a: { $gte: 5 } }, false],
  ['a range up to the edge', { a: { $lte: 5 } }, { a: { $lt: 5 } }, true],
  ['a value in the range', { a: { $gt: 5 } }, { a: 6 }, true],
  ['values in the range', { a: { $gt: 5 } }, { a: { $in: [6, 7] } }, true],
  ['not values of which one is outside', { a: { $gt: 5 } }, { a: { $in: [5, 7] } }, false],
  ['not values of another type', { a: { $gt: 5 } }, { a: 'x' }, false],
  ['not a range the other way', { a: { $gt: 5 } }, { a: { $lt: 6 } }, false],
  ['presence by a value', { a: { $exists: true } }, { a: 1 }, true],
  ['presence by a range', { a: { $exists: true } }, { a: { $gt: 1 } }, true],
  ['presence by a type', { a: { $exists: true } }, { a: { $type: 'null' } }, true],
  ['presence by a pattern', { a: { $exists: true } }, { a: /x/ }, true],
  ['presence by an element', { a: { $exists: true } }, { a: { $elemMatch: { b: 1 } } }, true],
  ['presence by ne null', { a: { $exists: true } }, { a: { $ne: null } }, true],
  ['presence by nin null', { a: { $exists: true } }, { a: { $nin: [null, 1] } }, true],
  ['not by null', { a: { $exists: true } }, { a: null }, false],
  ['not by ne', { a: { $exists: true } }, { a: { $ne: 1 } }, false],
  ['not by a list with null', { a: { $exists: true } }, { a: { $in: [1, null] } }, false],
  ['not by a field below', { a: { $exists: true } }, { 'a.b': 1 }, false],
  ['one of a list', { a: { $in: [1, 2] } }, { a: 2 }, true],
  ['the whole list', { a: { $in: [1, 2] } }, { a: { $in: [2, 1, 2] } }, true],
  ['not a part of the list', { a: { $in: [1, 2, 3] } }, { a: { $in: [1, 2] } }, false],
  ['the list as $or', { a: { $in: [1, 2] } }, { $or: [{ a: 1 }, { a: 2 }] }, true],
  ['not a part of the list as $or', { a: { $in: [1, 2, 3] } }, { $or: [{ a: 1 }, { a: 2 }] }, false],
  ['one of several filters', { $or: [{ a: 3 }, { $and: [{ a: 5 }, { b: 5 }] }] }, { a: 5, b: 5 }, true],
  ['not a half of one', { $or: [{ a: 3 }, { $and: [{ a: 5 }, { b: 5 }] }] }, { a: 5 }, false],
  ['both of two', { a: 1, b: { $gt: 0 } }, { b: 4, a: 1 }, true],
  ['not one of two', { a: 1, b: { $gt: 0 } }, { a: 1 }, false],
  [
    'every branch',
    { a: { $gt: 5 } },
    {
      $or: [
        { a: 6, b: 1 },
        { a: 9, b: 2 },
      ],
    },
    true,
  ],
  ['not a negation', { a: { $gt: 0 } }, { a: { $not: { $lte: 0 } } }, false],
  ['not a condition on one element', { 'a.b': { $gt: 0 } }, { a: { $elemMatch: { b: 1 } } }, false],
];

describe('a partial index serves a query that implies its filter as MongoDB judges it', () => {
  test.each(implications)('%s', async (_name, partialFilterExpression, filter, served) => {
    const collection = await fresh({ key: { x: 1 }, partialFilterExpression });
    expect(await isServed(collection, { ...filter, x: 1 })).toBe(served);
    expect(await isServed(collection, { $and: [{ x: { $gte: 1 } }, filter] })).toBe(served);
    expect(await isServed(collection, filter, { x: 1 })).toBe(served);
    expect(await isServed(collection, {}, { x: 1 })).toBe(false);
  });

  test('in $or a branch has to imply it, or the whole query', async () => {
    const collection = await fresh({ key: { x: 1 }, partialFilterExpression: { f: { $gt: 0 }, g: { $gt: 0 } } });
    expect(await isServed(collection, { $or: [{ x: 1, f: 1, g: 1 }, { _id: 0 }] })).toBe(true);
    expect(await isServed(collection, { f: 1, g: 1, $or: [{ x: 1, y: 1 }, { _id: 0 }] })).toBe(true);
    expect(await isServed(collection, { f: 1, $or: [{ x: 1, g: 1 }, { _id: 0 }] })).toBe(false);
  });

  test('a type and a range together bound one scan', async () => {
    const collection = await fresh({ key: { due: 1 }, partialFilterExpression: { due: { $type: 'date' } } });
    await collection.insertMany(Array.from({ length: 100 }, (_, _id) => ({ _id, ...(_id % 2 === 0 && { due: new Date(_id) }) })));
    const found = collection.find({ due: { $type: 'date', $lte: new Date(20) } }).sort({ due: 1 });
    expect((await found.clone().toArray()).map(({ _id }) => _id)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
    const { executionStats } = await found.explain('executionStats');
    expect(executionStats.totalDocsExamined).toBe(11);
    expect(executionStats.totalKeysExamined).toBeLessThanOrEqual(12);
  });
});

describe('a sparse index', () => {
  test.each([
    ['a value', { a: 1 }, {}, true],
    ['a range', { a: { $gt: 1 } }, {}, true],
    ['a sort within a condition', { a: { $gt: 1 } }, { a: 1 }, true],
    ['not a sort only', {}, { a: 1 }, false],
    ['not null', { a: null }, {}, false],
    ['not a list with null', { a: { $in: [null, 1] } }, {}, false],
    ['not missing', { a: { $exists: false } }, {}, false],
    ['not its second field only', { b: 1 }, { a: 1 }, false],
  ] as Array<[string, Document, Document, boolean]>)('serves %s', async (_name, filter, sort, served) => {
    const collection = await fresh({ key: { a: 1, b: 1 }, sparse: true });
    expect(await isServed(collection, filter, sort)).toBe(served);
  });

  test('leaves out the keys of which all fields are missing, also for uniqueness', async () => {
    const collection = await fresh({ key: { 'a.b': 1 }, sparse: true, unique: true });
    await collection.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3, a: [{ b: 1 }, {}] }, { _id: 4, a: [{ b: 2 }, {}] }]);
    await expect(collection.insertOne({ _id: 5, a: [{ b: 2 }] })).rejects.toMatchObject({ code: 11000 });
  });
});

test('a hint on a partial index that may leave documents out is refused', async () => {
  const collection = await fresh({ key: { a: 1 }, partialFilterExpression: { a: { $gt: 1 } } });
  await collection.insertMany([{ _id: 1 }, { _id: 2, a: 2 }, { _id: 3, a: 3 }]);
  const hint = { a: 1 };
  await expect(collection.find({}, { hint }).toArray()).rejects.toMatchObject({ code: 291 });
  await expect(collection.find({ a: { $gte: 1 } }, { hint }).toArray()).rejects.toMatchObject({ code: 291 });
  await expect(collection.updateOne({ _id: 2 }, { $set: { b: 1 } }, { hint })).rejects.toMatchObject({ code: 291 });
  expect(await collection.find({ a: { $gt: 2 } }, { hint }).toArray()).toMatchObject([{ _id: 3 }]);
});

test('a hint on a sparse index is obeyed, also where documents are missed by it', async () => {
  const collection = await fresh({ key: { a: 1 }, sparse: true });
  await collection.insertMany([{ _id: 1 }, { _id: 2, a: 2 }, { _id: 3, a: 3 }]);
  const hint = { a: 1 };
  const ids = async (filter: Document, sort: Document = {}) =>
    (
      await collection
        .find(filter, { hint })
        .sort(sort as never)
        .toArray()
    ).map(({ _id }) => _id);
  expect(await ids({})).toEqual([2, 3]);
  expect(await ids({}, { a: -1 })).toEqual([3, 2]);
  expect(await ids({ _id: { $lt: 3 } })).toEqual([2]);
  expect(await ids({ a: null })).toEqual([]);
  expect(await ids({ a: { $lt: 3 } })).toEqual([2]);
  expect(await collection.countDocuments({}, { hint })).toBe(2);
  expect(await db.command({ count: collection.collectionName, query: {}, hint })).toMatchObject({ n: 2 });
});

test('a hint on an index that does not exist is refused', async () => {
  const collection = await fresh({ key: { a: 1 } });
  await expect(collection.find({}, { hint: { b: 1 } }).toArray()).rejects.toMatchObject({ code: 2 });
});

test('documents outside a partial index do not expire by it', () => {
  const server = startInProcess();
  server.run({
    createIndexes: 'c',
    indexes: [
      { key: { at: 1 }, name: 'at', expireAfterSeconds: 60, partialFilterExpression: { $and: [{ k: 1 }, { m: { $gt: 0 } }] } },
    ],
  });
  const at = new Date(0);
  server.run({
    insert: 'c',
    documents: [
      { _id: 1, at, k: 1, m: 1 },
      { _id: 2, at, k: 2, m: 1 },
      { _id: 3, at, k: 1 },
    ],
  });
  expireDocuments(server.store, new Date(3_600_000));
  expect(documentsOf(server.run({ find: 'c', sort: { _id: 1 } })).map((bytes) => decodeDocument(bytes)._id)).toEqual([2, 3]);
  server.close();
});

test('a path with a position names an element; fields that are numbers make it ambiguous', async () => {
  const collection = await fresh({ key: { 'a.1': 1 } });
  await collection.insertMany([
    { _id: 1, a: [{ '1': 5 }] },
    { _id: 2, a: [0, [5, 6]] },
  ]);
  await expect(collection.insertOne({ _id: 3, a: [{ '1': 5 }, {}] })).rejects.toMatchObject({ code: 16746 });
  expect(await collection.find({ 'a.1': 5 }).toArray()).toMatchObject([{ _id: 1 }]);
  expect(await collection.find({ 'a.1': 5 }, { hint: { $natural: 1 } }).toArray()).toMatchObject([{ _id: 1 }]);
});

test('what is not a document has no fields to sort by', async () => {
  const collection = await fresh({ key: { k: 1 } });
  const docs = [
    { _id: 1, b: [5, { c: 3 }], k: 1 },
    { _id: 2, b: { c: 2 }, k: 1 },
    { _id: 3, b: 5, k: 1 },
    { _id: 4, b: [{ c: 1 }, { c: 9 }], k: 1 },
    { _id: 5, b: [], k: 1 },
    { _id: 6, b: { c: [] }, k: 1 },
  ];
  await collection.insertMany(docs);
  const ids = async (sort: Document) =>
    (
      await collection
        .find({ k: 1 })
        .sort(sort as never)
        .toArray()
    ).map(({ _id }) => _id);
  // 6 is undefined, 1, 3 and 5 are null, ascending; descending 1 is 3 and 4 is 9.
  expect(await ids({ 'b.c': 1, _id: 1 })).toEqual([6, 1, 3, 5, 4, 2]);
  expect(await ids({ 'b.c': -1, _id: 1 })).toEqual([4, 1, 2, 3, 5, 6]);
  await collection.insertOne({ _id: 7, b: [{ c: 1 }], d: [1, 2], k: 1 });
  await expect(ids({ 'b.c': 1, d: 1 })).rejects.toMatchObject({ code: 2 });
});

test('two fields of one array sort by its elements, not each by itself', async () => {
  const collection = await fresh({ key: { k: 1 } });
  await collection.insertMany([
    {
      _id: 1,
      t: [
        { x: 1, y: 9 },
        { x: 2, y: 0 },
      ],
    },
    { _id: 2, t: [{ x: 1, y: 5 }] },
  ]);
  const sorted = await collection.find({}).sort({ 't.x': 1, 't.y': 1 }).toArray();
  expect(sorted.map(({ _id }) => _id)).toEqual([2, 1]);
});
