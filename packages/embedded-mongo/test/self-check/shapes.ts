import { Binary, BSONRegExp, Decimal128, Double, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { bsonUndefined, DbPointer, type Doc } from '../../src/bson/types.ts';
import type { Random } from './random.ts';

const firstId = new ObjectId('000000000000000000000001');
const secondId = new ObjectId('000000000000000000000002');

/** Few values of every type, so that filters meet them. */
const scalars: readonly [unknown, ...unknown[]] = [
  0,
  ...[1, 2, 3, -1, 1.5, new Double(1), 1n, 2n, 9007199254740993n, Number.NaN, Number.POSITIVE_INFINITY],
  ...[Decimal128.fromString('1.0'), Decimal128.fromString('2.5'), Decimal128.fromString('NaN')],
  ...['', 'a', 'b', 'ab', 'B', null, null, true, false, new Date(0), new Date(1), new Date(2), firstId, secondId],
  ...[new Timestamp({ t: 1, i: 1 }), new Binary(new Uint8Array([1]), 0), new BSONRegExp('a', 'i'), new DbPointer('t.c', firstId)],
  ...[new MinKey(), new MaxKey(), bsonUndefined],
];

export const scalar = (random: Random): unknown =>
  random.chance(0.6) ? random.pick([0, 1, 2, 3, 'a', 'b', null]) : random.pick(scalars);

const subdocument = (random: Random): Doc =>
  random.chance(0.5) ? { k: scalar(random) } : { k: scalar(random), m: scalar(random) };

/** No array anywhere: two fields of an index that are arrays would be refused. */
const plain = (random: Random): unknown => (random.chance(0.15) ? subdocument(random) : scalar(random));

function anything(random: Random): unknown {
  const kind = random.below(10);
  if (kind < 4) return plain(random);
  if (kind < 5) return [];
  if (kind < 9) return random.many(1, 3, () => (random.chance(0.3) ? subdocument(random) : plain(random)));
  return random.many(1, 2, () => random.many(0, 2, () => plain(random)));
}

function inner(random: Random): Doc {
  return {
    ...(random.chance(0.8) && { x: random.chance(0.3) ? random.many(0, 2, () => plain(random)) : plain(random) }),
    ...(random.chance(0.8) && { y: plain(random) }),
  };
}

function nested(random: Random): unknown {
  const kind = random.below(10);
  if (kind < 1) return scalar(random);
  if (kind < 6) return inner(random);
  return random.many(0, 3, () => (random.chance(0.15) ? scalar(random) : inner(random)));
}

/** A value for a field of the first level. */
export function fieldValue(random: Random, field: string): unknown {
  if (field === 'a') return anything(random);
  if (field === 'c') return nested(random);
  return field === 'd' && random.chance(0.5) ? new Date(random.below(5)) : plain(random);
}

/** A document: `a` may hold anything, `c` documents and arrays of them, `b` and `d` no arrays; `u` is unique and `n` counts. */
export function document(random: Random, id: number): Doc {
  const doc: Doc = { _id: id, u: id, n: random.below(4) };
  for (const field of ['a', 'b', 'c', 'd']) if (random.chance(0.85)) doc[field] = fieldValue(random, field);
  return doc;
}

const paths: readonly [string, ...string[]] = [
  ...(['a', 'a', 'a', 'a.0', 'a.1', 'a.k', 'a.0.k', 'a.0.0', 'b', 'b', 'b.k'] as const),
  ...(['c', 'c.x', 'c.x', 'c.y', 'c.y', 'c.0.x', 'c.x.0', 'c.x.k', 'd', 'd', 'n', 'u', '_id'] as const),
];

const comparisons = ['$eq', '$gt', '$gte', '$lt', '$lte'] as const;
const types = ['date', 'string', 'number', 'int', 'null', 'array', 'object', 'bool', 'undefined', 'dbPointer'] as const;

/** What filters compare with; values that the server refuses as operands are left out. */
const operand = (random: Random): unknown =>
  random.chance(0.1) ? random.pick([[], [1], [1, 'a'], [[1]], { k: 1 }, { k: 'a', m: 1 }]) : scalarOperand(random);

function scalarOperand(random: Random): unknown {
  if (random.chance(0.1)) return null;
  for (;;) {
    const value = scalar(random);
    if (!(value instanceof BSONRegExp) && value !== bsonUndefined) return value;
  }
}

function operators(random: Random, depth: number): Doc {
  const one = (): Doc => {
    switch (random.below(14)) {
      case 0:
        return { $ne: operand(random) };
      case 1:
        return { $in: random.many(0, 3, () => operand(random)) };
      case 2:
        return { $nin: random.many(1, 3, () => operand(random)) };
      case 3:
        return { $exists: random.chance(0.6) };
      case 4:
        return { $type: random.chance(0.8) ? random.pick(types) : [random.pick(types), random.pick(types)] };
      case 5:
        return { $size: random.below(3) };
      case 6:
        return depth > 0 ? { $not: operators(random, depth - 1) } : { $exists: true };
      case 7:
        return { $elemMatch: depth > 0 && random.chance(0.5) ? operators(random, depth - 1) : elementFilter(random) };
      case 8:
        return { $all: random.many(1, 2, () => operand(random)) };
      case 9:
        return random.chance(0.5) ? { $mod: [2, 1] } : { $regex: random.pick(['a', '^a', 'B']), $options: 'i' };
      default:
        return { [random.pick(comparisons)]: operand(random) };
    }
  };
  return random.chance(0.35) ? { ...one(), ...one() } : one();
}

const elementFilter = (random: Random): Doc => ({ [random.pick(['k', 'm', 'x', 'y', '0'])]: condition(random, 0) });

const condition = (random: Random, depth: number): unknown => {
  const kind = random.below(10);
  if (kind < 3) return operand(random);
  if (kind < 7) return operators(random, depth);
  if (kind < 8) return { $in: random.many(1, 3, () => scalarOperand(random)) };
  const between = { $gte: scalarOperand(random), $lte: scalarOperand(random) };
  return random.chance(0.3) ? { $type: random.pick(types), ...between } : between;
};

/** What the indexes of a collection are about; filters and sorts turn to it more often than to the rest. */
export type Hot = { keys: readonly Doc[]; filters: readonly Doc[] };

/** A filter, often with that of a partial index beside its own conditions, so that this can be used. */
export function filterOf(random: Random, hot: Hot, depth = 2): Doc {
  const fields: Doc = {};
  const key = hot.keys[random.below(hot.keys.length)];
  if (key && random.chance(0.6)) {
    for (const path of Object.keys(key).slice(0, 1 + random.below(3))) fields[path] = condition(random, 1);
  }
  for (const path of random.many(0, 1, () => random.pick(paths))) fields[path] = condition(random, 1);
  const partial = hot.filters[random.below(hot.filters.length)];
  if (partial && random.chance(0.4)) return { $and: [fields, partial] };
  if (depth === 0 || random.chance(0.75)) return fields;
  const branches = random.many(1, 3, () => filterOf(random, hot, depth - 1));
  return { ...fields, [random.pick(['$or', '$or', '$and', '$nor'])]: branches };
}

export function sortOf(random: Random, hot: Hot): Doc {
  const key = hot.keys[random.below(hot.keys.length)];
  if (!key || random.chance(0.5)) return Object.fromEntries(random.many(1, 2, () => [random.pick(paths), random.pick([1, -1])]));
  const sign = random.pick([1, -1]);
  const fields = Object.entries(key).slice(0, 1 + random.below(3));
  return Object.fromEntries(fields.map(([path, direction]) => [path, Number(direction) * sign]));
}

export const projectionOf = (random: Random): Doc =>
  random.pick<Doc>([{ a: 1 }, { b: 1, _id: 0 }, { 'c.x': 1, d: 1 }, { a: 0 }, { 'c.y': 0, b: 0 }, { _id: 1 }]);

const partialFilters: readonly [Doc, ...Doc[]] = [
  { b: { $exists: true } },
  { d: { $type: 'date' } },
  { b: { $gt: 0 } },
  { n: { $lte: 1 } },
  { 'a.0': { $exists: true } },
  { 'c.y': 1 },
  { a: { $gte: 1 } },
  { $or: [{ b: 'a' }, { n: { $gt: 2 } }] },
  { d: { $in: [1, 2, 'a'] } },
  { n: { $gte: 1 }, b: { $type: ['string', 'int'] } },
];

const keys: readonly [Doc, ...Doc[]] = [
  { a: 1 },
  ...[{ a: -1 }, { 'a.0': 1 }, { 'a.1': -1 }, { 'a.k': 1 }, { 'a.0.k': 1 }, { 'a.0.0': 1 }, { b: 1 }, { b: -1, a: 1 }],
  ...[{ b: 1, d: -1 }, { c: 1 }, { 'c.x': 1 }, { 'c.y': -1 }, { 'c.x': 1, 'c.y': -1 }, { 'c.y': 1, 'c.x': 1, d: 1 }],
  ...[
    { b: 1, 'c.y': 1, d: 1 },
    { d: 1, a: -1 },
    { d: -1 },
    { 'c.x.0': 1 },
    { 'c.0.x': 1 },
    { 'c.x.k': -1, b: 1 },
    { n: 1, b: -1 },
  ],
  ...[{ n: 1 }, { n: 1, a: 1, d: -1 }, { 'b.k': 1 }, { u: 1 }, { u: -1, n: 1 }],
];

/** Definitions of indexes, each key once. */
export function indexesOf(random: Random): Doc[] {
  const chosen = new Map(random.many(2, 6, () => random.pick(keys)).map((key) => [JSON.stringify(key), key]));
  return [...chosen].map(([name, key]) => {
    if ('u' in key && random.chance(0.8)) return { key, name, unique: true };
    if (random.chance(0.2)) return { key, name, sparse: true };
    return random.chance(0.35) ? { key, name, partialFilterExpression: random.pick(partialFilters) } : { key, name };
  });
}

/** An update that no document refuses. */
export function updateOf(random: Random): Doc {
  const field = random.pick(['a', 'b', 'c', 'd']);
  switch (random.below(5)) {
    case 0:
      return { $unset: { [field]: '' } };
    case 1:
      return { $inc: { n: random.pick([1, -1]) } };
    case 2:
      return { $set: { [field]: fieldValue(random, field) }, $inc: { n: 1 } };
    default:
      return { $set: { [field]: fieldValue(random, field) } };
  }
}
