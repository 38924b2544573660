import { Double, Long } from 'bson';
import { type Collection, type Db, type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EmbeddedMongo } from '../src/index.ts';
import { connect } from './server.ts';

type Doc = { _id: string | number } & Document;
let close: () => Promise<void>;
let db: Db;
let number = 0;
const fresh = (): Collection<Doc> => db.collection<Doc>(`c${number++}`);

beforeAll(async () => {
  const connected = await connect({ promoteLongs: false });
  close = connected.close;
  db = connected.db;
});
afterAll(async () => close());

const max = Long.MAX_VALUE;

describe('filters', () => {
  const docs: Doc[] = [
    { _id: 1, a: 1 },
    { _id: 2, a: null },
    { _id: 3 },
    { _id: 4, a: [1, 5] },
    { _id: 5, a: 'x' },
    { _id: 6, a: { b: 1 } },
    { _id: 7, a: [{ b: 1 }, { b: 9 }] },
    { _id: 8, a: [] },
    { _id: 9, a: Long.fromString('9007199254740993') },
    { _id: 10, a: [[1, 5], 'y'] },
    { _id: 11, a: [{ b: [2, 4] }, 3] },
  ];
  const cases: Array<[string, Document, number[]]> = [
    ['a value equals an array or its element', { a: 1 }, [1, 4]],
    ['null equals missing', { a: null }, [2, 3]],
    ['missing', { a: { $exists: false } }, [3]],
    ['ne', { a: { $ne: 1 } }, [2, 3, 5, 6, 7, 8, 9, 10, 11]],
    ["only the operand's type is compared", { a: { $gt: 0 } }, [1, 4, 9, 11]],
    ['different elements may satisfy two bounds', { a: { $gt: 4, $lt: 2 } }, [4]],
    ['one element must satisfy both in elemMatch', { a: { $elemMatch: { $gt: 4, $lt: 2 } } }, []],
    ['paths go through arrays', { 'a.b': 1 }, [6, 7]],
    ['paths with a position', { 'a.1.b': 9 }, [7]],
    ['size', { a: { $size: 0 } }, [8]],
    ['type', { a: { $type: 'long' } }, [9]],
    ['int64 beyond doubles', { a: Long.fromString('9007199254740992') }, []],
    ['int64 exactly', { a: Long.fromString('9007199254740993') }, [9]],
    ['or', { $or: [{ a: 'x' }, { _id: 1 }] }, [1, 5]],
    ['nor', { $nor: [{ a: { $exists: true } }] }, [3]],
    ['regex', { a: /^X/i }, [5]],
    ['expr', { $expr: { $eq: ['$a', '$_id'] } }, [1]],
    ['expr with the time', { $expr: { $lt: ['$_id', '$$NOW'] }, _id: { $lt: 3 } }, [1, 2]],
    ['in with null', { a: { $in: [null, 'x'] } }, [2, 3, 5]],
    ['a negated ne', { a: { $not: { $ne: 1 } } }, [1, 4]],
    ['a negated nin', { a: { $not: { $nin: [5, 'x'] } } }, [4, 5]],
    ['a negated exists', { a: { $not: { $exists: false } } }, [1, 2, 4, 5, 6, 7, 8, 9, 10, 11]],
    ['a negation twice', { a: { $not: { $not: { $gt: 4 } } } }, [4, 9]],
    ['a negated ne through an array', { 'a.b': { $not: { $ne: 9 } } }, [7]],
    [
      'a negation of two conditions, each with an element of its own',
      { 'a.b': { $not: { $gt: 2, $lt: 2 } } },
      [1, 2, 3, 4, 5, 6, 8, 9, 10, 11],
    ],
    ['two types at once, one element for each', { a: { $gte: 1, $lte: 'z' } }, []],
    ['two types at once through an array', { a: { $gt: [], $lte: 'z' } }, [10]],
    ['all, with different elements of the path', { 'a.b': { $all: [1, 9] } }, [7]],
    ['an array inside an array is not gone into', { a: { $in: [[1, 5]] } }, [4, 10]],
    ['nor by elemMatch', { a: { $elemMatch: { $gt: 0, $lt: 2 } } }, [4]],
    ['elemMatch with a negation', { a: { $elemMatch: { $not: { $lt: 5 } } } }, [4, 7, 10, 11]],
    ['an element at a position', { 'a.0': 1 }, [4]],
    ['a position in an array in an array', { 'a.0.1': 5 }, [10]],
    ['no element at a position', { 'a.1': null }, [1, 2, 3, 5, 6, 7, 9, 11]],
    ['neither null nor missing at a position', { 'a.1': { $ne: null } }, [4, 8, 10]],
  ];
  const withIndex = [false, true];
  for (const indexed of withIndex) {
    test.each(cases)(`%s${indexed ? ', by an index' : ''}`, async (_name, filter, ids) => {
      const collection = db.collection<Doc>(`filters-${indexed}`);
      if ((await collection.countDocuments()) === 0) {
        await collection.insertMany(docs);
        if (indexed)
          await collection.createIndexes([
            { key: { a: 1 } },
            { key: { 'a.b': -1 } },
            { key: { 'a.0': 1 } },
            { key: { 'a.1': 1 } },
          ]);
      }
      expect((await collection.find(filter).sort({ _id: 1 }).toArray()).map((doc) => doc._id)).toEqual(ids);
    });
  }
});

describe('updates', () => {
  const cases: Array<[string, Document, Document | Document[], Document]> = [
    ['$inc on a long is exact', { n: max.subtract(1) }, { $inc: { n: 1 } }, { n: max }],
    ['$inc creates', {}, { $inc: { 'a.b': 2 } }, { a: { b: 2 } }],
    ['$push with $each and $slice', { t: [1, 2] }, { $push: { t: { $each: [3, 4], $slice: -3 } } }, { t: [2, 3, 4] }],
    ['$pull by a condition', { t: [{ s: 1 }, { s: 2 }] }, { $pull: { t: { s: { $lte: 1 } } } }, { t: [{ s: 2 }] }],
    ['$addToSet', { t: [1] }, { $addToSet: { t: { $each: [1, 2] } } }, { t: [1, 2] }],
    ['$unset, $min and $max', { a: 1, b: 5, c: 5 }, { $unset: { a: '' }, $min: { b: 3 }, $max: { c: 3 } }, { b: 3, c: 5 }],
    ['a position in an array', { t: [1, 2] }, { $set: { 't.1': 9 } }, { t: [1, 9] }],
    [
      'a pipeline',
      { a: 2, b: { c: 1 } },
      [{ $set: { s: { $add: ['$a', 1] }, 'b.d': { $ifNull: ['$x', 'none'] } } }, { $unset: 'a' }],
      { b: { c: 1, d: 'none' }, s: 3 },
    ],
    [
      '$cond in a pipeline',
      { n: max },
      [{ $set: { big: { $cond: [{ $gte: ['$n', max] }, 'yes', 'no'] } } }],
      { n: max, big: 'yes' },
    ],
  ];
  test.each(cases)('%s', async (_name, before, update, after) => {
    const collection = fresh();
    await collection.insertOne({ _id: 1, ...before });
    await collection.updateOne({ _id: 1 }, update);
    expect(await collection.findOne({ _id: 1 })).toEqual({ _id: 1, ...after });
  });

  test('positional operators change the elements they name', async () => {
    const collection = fresh();
    await collection.insertOne({ _id: 1, t: [{ k: 'a' }, { k: 'b' }] });
    await collection.updateOne({ 't.k': 'b' }, { $set: { 't.$.hit': true } });
    await collection.updateOne({ _id: 1 }, { $set: { 't.$[x].named': 1 } }, { arrayFilters: [{ 'x.k': 'a' }] });
    expect((await collection.findOne())?.t).toEqual([
      { k: 'a', named: 1 },
      { k: 'b', hit: true },
    ]);
  });

  test('an upsert takes what its filter says is equal', async () => {
    const collection = fresh();
    const { upsertedId } = await collection.updateOne(
      { _id: 'x', a: 1, b: { $gt: 1 } },
      { $setOnInsert: { c: 2 }, $set: { d: 3 } },
      { upsert: true },
    );
    expect(upsertedId).toBe('x');
    expect(await collection.findOne()).toEqual({ _id: 'x', a: 1, c: 2, d: 3 });
  });

  test.each([
    ['overflow', { n: max }, { $inc: { n: 1 } }, 2],
    ['a conflict', {}, { $set: { a: 1 }, $inc: { 'a.b': 1 } }, 40],
    ['another _id', {}, { $set: { _id: 2 } }, 66],
    ['an unknown modifier', {}, { $what: { a: 1 } }, 9],
    ['a path through a scalar', { a: 1 }, { $set: { 'a.b': 1 } }, 28],
    ['arithmetic on text', { a: 'x' }, { $inc: { a: 1 } }, 14],
  ])('refuses %s', async (_name, before, update, code) => {
    const collection = fresh();
    await collection.insertOne({ _id: 1, ...before });
    await expect(collection.updateOne({ _id: 1 }, update)).rejects.toMatchObject({ code });
  });

  test('types survive an update that does not touch them', async () => {
    const collection = fresh();
    await collection.insertOne({ _id: 1, double: new Double(5), long: Long.fromNumber(5), int: 5 });
    await collection.updateOne({ _id: 1 }, { $set: { other: 1 } });
    const types = await collection
      .aggregate([{ $project: { d: { $type: '$double' }, l: { $type: '$long' }, i: { $type: '$int' } } }])
      .next();
    expect(types).toEqual({ _id: 1, d: 'double', l: 'long', i: 'int' });
  });
});

test('unknown commands, operators, stages and options are refused by name', async () => {
  const collection = fresh();
  await expect(db.command({ shutdown: 1 })).rejects.toMatchObject({ code: 59, codeName: 'CommandNotFound' });
  await expect(collection.find({ a: { $what: 1 } }).toArray()).rejects.toMatchObject({ code: 2 });
  await expect(collection.aggregate([{ $what: {} }]).toArray()).rejects.toMatchObject({ code: 40324 });
  await expect(db.command({ find: 'c', what: 1 })).rejects.toMatchObject({ code: 40415 });
  await expect(collection.find({}, { collation: { locale: 'id' } }).toArray()).rejects.toMatchObject({ code: 238 });
});

test('multi-document transactions are refused', async () => {
  const server = await EmbeddedMongo.start();
  const client = new MongoClient(server.uri);
  await expect(
    client.withSession((session) => session.withTransaction(() => client.db('t').collection('c').insertOne({}, { session }))),
  ).rejects.toMatchObject({ code: 263 });
  await client.close();
  await server.stop();
});

describe('indexes', () => {
  const examined = async (collection: Collection<Doc>, filter: Document, sort: Document = {}, limit = 0) => {
    const { executionStats, queryPlanner } = await collection
      .find(filter)
      .sort(sort as never)
      .limit(limit)
      .explain('executionStats');
    return { docs: executionStats.totalDocsExamined, plan: JSON.stringify(queryPlanner.winningPlan) };
  };

  test('every query shape of ours looks at what it returns', async () => {
    const collection = fresh();
    await collection.createIndexes([
      { key: { due_at: 1 }, partialFilterExpression: { due_at: { $type: 'date' } } },
      { key: { 'tail.0.at': 1 }, partialFilterExpression: { 'tail.0': { $exists: true } } },
      { key: { partition: 1, 'legs.account': 1, seq: -1 } },
      { key: { kind: 1, at: -1 } },
    ]);
    await collection.insertMany(
      Array.from({ length: 500 }, (_, at) => ({
        _id: at,
        ...(at % 100 === 0 && { due_at: new Date(at) }),
        tail: at % 250 === 0 ? [{ at }] : [],
        partition: 'p',
        legs: [{ account: `a${at % 50}` }, { account: 'fee' }],
        seq: at,
        kind: at % 2 === 0 ? 'even' : 'odd',
        at,
      })),
    );
    const shapes: Array<[Document, Document, number, number]> = [
      [{ _id: 7 }, {}, 0, 1],
      [{ _id: { $in: [1, 2, 900] } }, {}, 0, 2],
      [{ due_at: { $type: 'date', $lte: new Date(250) } }, { due_at: 1 }, 0, 3],
      [{ 'tail.0': { $exists: true } }, { 'tail.0.at': 1 }, 0, 2],
      [{ partition: 'p', 'legs.account': 'a3' }, { seq: -1 }, 5, 5],
      [{ partition: 'p', 'legs.account': 'a3', seq: { $gt: 400 } }, { seq: 1 }, 0, 2],
      [{ kind: 'odd' }, { at: 1 }, 3, 3],
      [{ kind: 'odd', at: { $gte: 10, $lt: 20 } }, { at: -1 }, 0, 5],
      [{ $or: [{ _id: 1 }, { kind: 'even', at: 4 }] }, {}, 0, 2],
    ];
    for (const [filter, sort, limit, docs] of shapes) {
      const result = await examined(collection, filter, sort, limit);
      expect(result.plan, JSON.stringify(filter)).toContain('IXSCAN');
      expect(result.docs, JSON.stringify(filter)).toBe(docs);
    }
    expect((await examined(collection, { seq: 4 })).plan).toContain('COLLSCAN');
    expect((await examined(collection, { due_at: null })).plan).toContain('COLLSCAN');
    expect((await examined(collection, { due_at: { $lte: new Date(250) } })).plan).toContain('COLLSCAN');
  });

  test('a duplicate key names its index and values', async () => {
    const collection = fresh();
    await collection.createIndex({ a: 1, b: -1 }, { unique: true });
    await collection.insertOne({ _id: 1, a: 1, b: 'x' });
    await expect(collection.insertOne({ _id: 2, a: Long.fromNumber(1), b: 'x' })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { a: 1, b: -1 },
      keyValue: { a: Long.fromNumber(1), b: 'x' },
    });
    await expect(collection.insertOne({ _id: 1 })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { _id: 1 },
      keyValue: { _id: 1 },
    });
  });

  test('of many racing for one value one wins', async () => {
    const collection = fresh();
    await collection.createIndex({ a: 1 }, { unique: true });
    const results = await Promise.allSettled(Array.from({ length: 50 }, (_, at) => collection.insertOne({ _id: at, a: 'same' })));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });
});

test('concurrent changes of one document are all kept', async () => {
  const collection = fresh();
  await collection.insertOne({ _id: 1, n: 0 });
  await Promise.all(Array.from({ length: 300 }, () => collection.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } })));
  expect((await collection.findOne({ _id: 1 }))?.n).toBe(300);
});

test('an unordered bulk goes on after an error, an ordered one stops', async () => {
  const collection = fresh();
  await collection.insertOne({ _id: 1 });
  const docs = [{ _id: 2 }, { _id: 1 }, { _id: 3 }];
  await expect(collection.insertMany(docs)).rejects.toMatchObject({ code: 11000, insertedCount: 1 });
  await expect(collection.insertMany([{ _id: 4 }, { _id: 1 }, { _id: 5 }], { ordered: false })).rejects.toMatchObject({
    insertedCount: 2,
  });
  expect(await collection.distinct('_id')).toEqual([1, 2, 4, 5]);
});

test('a cursor hands out everything in batches', async () => {
  const collection = fresh();
  await collection.insertMany(Array.from({ length: 1000 }, (_, at) => ({ _id: at })));
  const ids: unknown[] = [];
  for await (const doc of collection.find({}, { batchSize: 7 }).sort({ _id: -1 })) ids.push(doc._id);
  expect(ids).toEqual(Array.from({ length: 1000 }, (_, at) => 999 - at));
});
