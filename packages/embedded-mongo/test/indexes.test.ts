import type { Collection, Db, Document, Filter, IndexDescription } from 'mongodb';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EmbeddedMongo } from '../src/index.ts';
import { connect } from './server.ts';

type Doc = { _id: string | number } & Document;
let close: () => Promise<void>;
let db: Db;
beforeAll(async () => {
  const connected = await connect();
  close = connected.close;
  db = connected.db;
});
afterAll(async () => close());

const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, n));
const many = 2000;

/** Collections as our services keep them, with their indexes. */
const collections: Record<string, { indexes: IndexDescription[]; document: (n: number) => Doc }> = {
  transfers: {
    indexes: [
      { key: { due_at: 1 }, name: 'due', partialFilterExpression: { due_at: { $type: 'date' } } },
      { key: { 'tail.at': 1 }, name: 'unconfirmed', partialFilterExpression: { 'tail.0': { $exists: true } } },
      { key: { account_id: 1, transaction_id: -1 }, name: 'newest' },
      { key: { unresolved_at: 1 }, name: 'unresolved', partialFilterExpression: { unresolved_at: { $type: 'date' } } },
    ],
    document: (n) => ({
      _id: `account${n % 40}:ref${n}`,
      account_id: `account${n % 40}`,
      merchant_id: `merchant${n % 40}`,
      transaction_id: `t${String(n).padStart(5, '0')}`,
      status: n % 100 === 0 ? 'sent' : 'captured',
      version: 1,
      created_at: minute(n),
      tail: n % 250 === 0 ? [{ at: minute(n) }, { at: minute(n + 1) }] : [],
      ...(n % 100 === 0 && { due_at: minute(n), unresolved_at: minute(n) }),
      ...(n % 500 === 0 && { lease_until: new Date(Date.UTC(2100, 0, 1)) }),
    }),
  },
  deliveries: {
    indexes: [
      { key: { due_at: 1 }, name: 'due', partialFilterExpression: { due_at: { $type: 'date' } } },
      { key: { merchant_id: 1, _id: -1 }, name: 'newest', partialFilterExpression: { url: { $type: 'string' } } },
      { key: { aggregate: 1, seq: 1 }, name: 'order', partialFilterExpression: { status: 'pending' } },
    ],
    document: (n) => ({
      _id: `d${String(n).padStart(5, '0')}`,
      merchant_id: `merchant${n % 40}`,
      url: 'http://localhost',
      aggregate: `a${n % 200}`,
      seq: Math.floor(n / 200),
      status: n >= 1600 ? 'pending' : 'delivered',
      ...(n >= 1600 && { due_at: minute(n) }),
    }),
  },
  postings: {
    indexes: [
      { key: { partition: 1, statement: 1, at: 1, seq: 1, index: 1 }, name: 'entries' },
      {
        key: { partition: 1, merchant_id: 1, at: 1, seq: 1, index: 1, account_id: 1, product: 1 },
        name: 'settlements',
        partialFilterExpression: { intent: 'settle' },
      },
      { key: { remove_at: 1 }, name: 'removal', expireAfterSeconds: 1_000_000_000 },
    ],
    document: (n) => ({
      _id: `p/${String(n).padStart(5, '0')}`,
      partition: `p${n % 2}`,
      merchant_id: `merchant${n % 50}`,
      account_id: `a${n % 50}`,
      product: 'qris',
      intent: n % 10 === 3 ? 'settle' : 'hold',
      statement: n % 50 === 3 ? [`a${n % 50}:credit`, `b${n % 50}:debit`] : [`a${n % 50}:debit`],
      at: minute(n),
      seq: n,
      index: 0,
      remove_at: minute(n),
    }),
  },
  accounts: {
    indexes: [
      { key: { merchant_id: 1, _id: 1 }, name: 'of-merchant' },
      { key: { external_key: 1 }, name: 'external_key', unique: true },
      { key: { partition: 1 }, name: 'partition' },
      { key: { 'secrets.kid': 1 }, name: 'sealed-under' },
    ],
    document: (n) => ({
      _id: n,
      merchant_id: `merchant${n % 400}`,
      external_key: `k${n}`,
      partition: `p${n % 200}`,
      secrets: [{ kid: 'new' }, { kid: n % 400 === 0 ? 'old' : 'new' }],
    }),
  },
};

const leaseIsOver = { $lte: [{ $ifNull: ['$lease_until', new Date(0)] }, '$$NOW'] };
const account = { account_id: 'account3', merchant_id: 'merchant3' };

type Shape = { name: string; in: string; filter: Document; sort?: Document; limit?: number; returned: number; beyond?: number };

/** Every shape of query that a service issues; `beyond` counts documents that may be looked at besides those returned. */
const shapes: Shape[] = [
  { name: 'an aggregate by _id', in: 'transfers', filter: { _id: 'account3:ref43' }, returned: 1 },
  { name: 'a version by _id', in: 'transfers', filter: { _id: 'account3:ref43', version: 1 }, returned: 1 },
  { name: 'many by _id', in: 'postings', filter: { _id: { $in: ['p/00001', 'p/00002', 'none'] } }, returned: 2 },
  {
    name: 'a journal from a seq on',
    in: 'postings',
    filter: { _id: { $gte: 'p/01990', $lt: 'p0' } },
    sort: { _id: 1 },
    returned: 10,
  },
  { name: 'the newest entry', in: 'postings', filter: {}, sort: { _id: -1 }, limit: 1, returned: 1 },
  { name: 'a page after an id', in: 'accounts', filter: { _id: { $gt: 500 } }, sort: { _id: 1 }, limit: 20, returned: 20 },
  {
    name: 'due documents whose lease is over',
    in: 'transfers',
    filter: { due_at: { $type: 'date', $lte: minute(1000) }, $expr: leaseIsOver },
    sort: { due_at: 1 },
    limit: 200,
    returned: 8,
    beyond: 3,
  },
  {
    name: 'the claim of a due document',
    in: 'transfers',
    filter: { _id: 'account20:ref100', due_at: { $type: 'date', $lte: minute(1000) }, $expr: leaseIsOver },
    returned: 1,
  },
  {
    name: 'tails that are not confirmed',
    in: 'transfers',
    filter: { 'tail.at': { $type: 'date' }, 'tail.0': { $exists: true } },
    limit: 200,
    returned: 8,
  },
  { name: 'a transfer by its id', in: 'transfers', filter: { account_id: 'account3', transaction_id: 't00043' }, returned: 1 },
  {
    name: 'a page of transfers',
    in: 'transfers',
    filter: { ...account, status: { $ne: 'created' }, transaction_id: { $lt: 't01000' } },
    sort: { transaction_id: -1 },
    limit: 10,
    returned: 10,
  },
  {
    name: 'transfers by reference',
    in: 'transfers',
    filter: { ...account, status: { $ne: 'created' }, _id: 'account3:ref43' },
    sort: { transaction_id: -1 },
    limit: 10,
    returned: 1,
  },
  {
    name: 'unresolved transfers',
    in: 'transfers',
    filter: { unresolved_at: { $type: 'date' }, status: 'sent' },
    sort: { unresolved_at: 1 },
    limit: 5,
    returned: 5,
  },
  {
    name: 'a page of deliveries',
    in: 'deliveries',
    filter: { merchant_id: 'merchant3', url: { $type: 'string' }, _id: { $lt: 'd01000' } },
    sort: { _id: -1 },
    limit: 10,
    returned: 10,
  },
  {
    name: 'what a delivery waits for',
    in: 'deliveries',
    filter: { aggregate: 'a7', seq: { $lt: 9 }, status: 'pending' },
    sort: { seq: 1 },
    limit: 1,
    returned: 1,
  },
  {
    name: 'pending deliveries of aggregates',
    in: 'deliveries',
    filter: { aggregate: { $in: ['a7', 'a8'] }, status: 'pending' },
    returned: 4,
  },
  {
    name: 'a page of a statement',
    in: 'postings',
    filter: { partition: 'p1', statement: 'a3:credit', seq: { $lte: 1900 } },
    sort: { at: -1, seq: -1, index: -1 },
    limit: 11,
    returned: 11,
    beyond: 2,
  },
  {
    name: 'the next page of a statement, between two days',
    in: 'postings',
    filter: {
      partition: 'p1',
      statement: 'a3:credit',
      at: { $gte: minute(200), $lte: minute(1003) },
      seq: { $lte: 1900 },
      $or: [{ seq: { $lt: 1003n } }, { seq: 1003n, index: { $lt: 0 } }],
    },
    sort: { at: -1, seq: -1, index: -1 },
    limit: 11,
    returned: 11,
    beyond: 1,
  },
  {
    name: 'a page of settlements',
    in: 'postings',
    filter: {
      partition: 'p1',
      seq: { $lte: 1900 },
      intent: 'settle',
      merchant_id: 'merchant3',
      'result.refused': { $exists: false },
    },
    sort: { at: -1, seq: -1, index: -1 },
    limit: 11,
    returned: 11,
    beyond: 2,
  },
  {
    name: 'where the postings of a partition are',
    in: 'postings',
    filter: { _id: { $gte: 'p/', $lt: 'p0' } },
    limit: 100,
    returned: 100,
  },
  {
    name: 'accounts of merchants',
    in: 'accounts',
    filter: { merchant_id: { $in: ['merchant1', 'merchant2'] } },
    sort: { merchant_id: 1, _id: 1 },
    returned: 10,
  },
  {
    name: 'secrets sealed under another key',
    in: 'accounts',
    filter: { $or: [{ 'secrets.kid': { $lt: 'new' } }, { 'secrets.kid': { $gt: 'new' } }] },
    returned: 5,
  },
  { name: 'a unique number', in: 'accounts', filter: { external_key: 'k77' }, returned: 1 },
  { name: 'balances of a partition', in: 'accounts', filter: { partition: 'p7' }, returned: 10 },
];

const stagesOf = (stage: Document): string[] => [
  stage.stage,
  ...[...(stage.inputStages ?? []), ...(stage.inputStage ? [stage.inputStage] : [])].flatMap(stagesOf),
];

describe('queries look at what they return', () => {
  beforeAll(async () => {
    for (const [name, { indexes, document }] of Object.entries(collections)) {
      await db.collection(name).createIndexes(indexes);
      await db.collection<Doc>(name).insertMany(Array.from({ length: many }, (_, n) => document(n)));
    }
  });

  test.each(shapes)('$name', async ({ in: name, filter, sort = {}, limit = 0, returned, beyond = 0 }) => {
    const query = db
      .collection<Doc>(name)
      .find(filter)
      .sort(sort as never)
      .limit(limit);
    expect(await query.clone().toArray()).toHaveLength(returned);
    const { executionStats, queryPlanner } = await query.explain('executionStats');
    expect(stagesOf(queryPlanner.winningPlan)).not.toContain('COLLSCAN');
    expect(executionStats.nReturned).toBe(returned);
    expect(executionStats.totalDocsExamined).toBeLessThanOrEqual(returned + beyond);
  });

  test.each([
    ['of a whole collection', 'transfers', {}, many],
    ['of equal values', 'accounts', { partition: 'p7' }, 10],
    ['of several values', 'accounts', { partition: { $in: ['p7', 'p8', 'none'] } }, 20],
    ['of a range', 'transfers', { account_id: 'account3', transaction_id: { $gte: 't00100', $lt: 't00200' } }, 2],
    ['of what is due', 'transfers', { due_at: { $type: 'date' } }, 20],
    ['of what is due by now', 'transfers', { due_at: { $type: 'date', $lte: minute(1000) } }, 11],
    ['of ids', 'accounts', { _id: { $gte: 10, $lt: 20 } }, 10],
  ] as Array<[string, string, Filter<Doc>, number]>)(
    'a count %s looks at keys alone',
    async (_name, collection, filter, expected) => {
      const documents: Collection<Doc> = db.collection(collection);
      expect(await documents.countDocuments(filter)).toBe(expected);
      expect(await db.command({ count: collection, query: filter })).toMatchObject({ n: expected });
      expect(await documents.countDocuments(filter, { skip: 2, limit: 4 })).toBe(Math.min(4, Math.max(0, expected - 2)));
      const explained = await db.command({ explain: { count: collection, query: filter }, verbosity: 'executionStats' });
      expect(explained.executionStats.totalDocsExamined).toBe(0);
    },
  );

  test('a count is right where keys alone would mislead', async () => {
    const odd = db.collection<Doc>('odd');
    await odd.createIndexes([{ key: { a: 1 } }, { key: { b: 1, c: 1 } }]);
    await odd.insertMany([
      { _id: 1, a: [1, 2, 3], b: 1, c: 1 },
      { _id: 2, a: Number.NaN, b: Number.NaN, c: 2 },
      { _id: 3, b: -5, c: null },
      { _id: 4, a: null, b: 1 },
    ]);
    const counts: Array<[Document, number]> = [
      [{ a: { $gte: 1, $lte: 3 } }, 1],
      [{ a: { $in: [1, 2] } }, 1],
      [{ b: { $lt: 2 } }, 3],
      [{ b: { $lte: Number.NaN } }, 1],
      [{ b: { $ne: 1 } }, 2],
      [{ b: 1, c: null }, 1],
      [{ b: 1, c: { $exists: true } }, 1],
      [{ b: { $gt: 0, $gte: 1, $lt: 9 } }, 2],
      [{ b: 1, a: null }, 1],
      [{ b: { $in: [1, null] } }, 2],
      [{ $or: [{ b: 1 }, { b: -5 }] }, 3],
      [{ $and: [{ b: 1 }, { c: 1 }] }, 1],
      [{ b: { $gte: -9, $lte: 'x' } }, 0],
      [{ b: { $gt: 'x', $lt: minute(1) } }, 0],
      [{ b: { $type: 'number', $gte: 1 } }, 2],
      [{ b: { $type: 'number', $lt: 2 } }, 3],
      [{ b: { $type: 'string', $gte: 1 } }, 0],
      [{ b: 1, c: { $gte: 1, $lte: 'x' } }, 0],
    ];
    for (const [filter, expected] of counts) expect(await odd.countDocuments(filter), JSON.stringify(filter)).toBe(expected);
  });
});

test('with notablescan a query that no index serves is refused', async () => {
  const server = await EmbeddedMongo.start();
  const client = new MongoClient(server.uri);
  const c = client.db('t').collection<Doc>('c');
  await c.createIndex({ a: 1 });
  await c.insertMany([
    { _id: 1, a: 1, b: 1 },
    { _id: 2, a: 2, b: 2 },
  ]);
  const admin = client.db('admin');
  expect(await admin.command({ setParameter: 1, notablescan: true })).toMatchObject({ was: false });
  expect(await admin.command({ getParameter: 1, notablescan: 1 })).toMatchObject({ notablescan: true });
  const refused = { code: 291 };
  await expect(c.findOne({ b: 1 })).rejects.toMatchObject(refused);
  await expect(c.updateOne({ b: 1 }, { $set: { a: 3 } })).rejects.toMatchObject(refused);
  await expect(c.deleteMany({ b: { $gt: 1 } })).rejects.toMatchObject(refused);
  await expect(c.findOneAndUpdate({ b: 1 }, { $set: { a: 3 } })).rejects.toMatchObject(refused);
  await expect(c.countDocuments({ b: 1 })).rejects.toMatchObject(refused);
  await expect(c.distinct('a', { b: 1 })).rejects.toMatchObject(refused);
  await expect(c.find({}, { hint: { $natural: 1 } }).toArray()).rejects.toMatchObject(refused);
  expect(await c.find({ a: { $gt: 0 }, b: 1 }).toArray()).toEqual([{ _id: 1, a: 1, b: 1 }]);
  expect(await c.find({}).toArray()).toHaveLength(2);
  await admin.command({ setParameter: 1, notablescan: false });
  expect(await c.findOne({ b: 1 })).toMatchObject({ _id: 1 });
  await expect(admin.command({ setParameter: 1, other: 1 })).rejects.toMatchObject({ code: 72 });
  await client.close();
  await server.stop();
});
