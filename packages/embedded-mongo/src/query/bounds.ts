import { BSONRegExp } from 'bson';
import { bsonUndefined, type Doc, isDoc, isNullish, isNumeric, rankOf, typeRank } from '../bson/types.ts';
import { above, type Direction, encodeValue } from '../storage/index-key.ts';
import { isOperatorDoc } from './match-values.ts';

/** What a filter demands of one path: one of some values, or a range within one type. */
export type Condition =
  | { kind: 'points'; values: readonly unknown[] }
  | { kind: 'range'; rank: number; low?: { value: unknown; inclusive: boolean }; high?: { value: unknown; inclusive: boolean } };

/** Bytes of one component of a key: from `low` on, below `high`. */
export type Interval = { low: Buffer; high: Buffer };

/** The conditions that every matching document satisfies, by path; what can't be told is left out. */
export function conditionsOf(filter: Doc): Map<string, Condition[]> {
  const conditions = new Map<string, Condition[]>();
  const add = (path: string, condition: Condition) => {
    const known = conditions.get(path);
    if (known) known.push(condition);
    else conditions.set(path, [condition]);
  };
  const visit = (doc: Doc, prefix: string) => {
    for (const [name, operand] of Object.entries(doc)) {
      if (name === '$and' && Array.isArray(operand)) for (const part of operand) visit(isDoc(part) ? part : {}, prefix);
      if (name.startsWith('$')) continue;
      for (const condition of conditionsOn(operand)) add(prefix + name, condition);
      if (isOperatorDoc(operand) && isDoc(operand.$elemMatch) && !isOperatorDoc(operand.$elemMatch)) {
        visit(operand.$elemMatch, `${prefix}${name}.`);
      }
    }
  };
  visit(filter, '');
  return conditions;
}

function conditionsOn(operand: unknown): Condition[] {
  if (!isOperatorDoc(operand)) return indexable(operand) ? [{ kind: 'points', values: [operand] }] : [];
  const conditions: Condition[] = [];
  for (const [name, value] of Object.entries(operand)) {
    const condition = conditionOf(name, value);
    if (condition) conditions.push(condition);
  }
  return conditions;
}

/** A whole array as operand also equals an element that is an array; such filters are left to the scan. */
const indexable = (value: unknown) => !Array.isArray(value) && !(value instanceof BSONRegExp);

const singleRankTypes: Record<string, number> = {
  date: typeRank.date,
  string: typeRank.string,
  objectId: typeRank.objectId,
  number: typeRank.number,
  bool: typeRank.bool,
};

function conditionOf(name: string, value: unknown): Condition | undefined {
  if (name === '$eq') return indexable(value) ? { kind: 'points', values: [value] } : undefined;
  if (name === '$in') return Array.isArray(value) && value.every(indexable) ? { kind: 'points', values: value } : undefined;
  if (name === '$type' && typeof value === 'string') {
    const rank = singleRankTypes[value];
    return rank === undefined ? undefined : { kind: 'range', rank };
  }
  const rank = rankOf(value);
  const bracketed =
    isNumeric(value) ||
    rank === typeRank.string ||
    rank === typeRank.date ||
    rank === typeRank.objectId ||
    rank === typeRank.timestamp;
  if (!bracketed || Number.isNaN(value)) return undefined;
  if (name === '$gt' || name === '$gte') return { kind: 'range', rank, low: { value, inclusive: name === '$gte' } };
  if (name === '$lt' || name === '$lte') return { kind: 'range', rank, high: { value, inclusive: name === '$lte' } };
  return undefined;
}

/** Joins conditions on a path no document has an array on; with arrays each element may satisfy another, so one is kept. */
export function combine(conditions: readonly Condition[], arrays: boolean): Condition | undefined {
  const points = conditions.find((condition) => condition.kind === 'points');
  if (points || arrays) return points ?? conditions[0];
  let joined: Condition | undefined;
  for (const condition of conditions) {
    if (condition.kind !== 'range') continue;
    if (joined === undefined) joined = condition;
    else if (joined.kind === 'range' && joined.rank === condition.rank) {
      const low = joined.low ?? condition.low;
      const high = joined.high ?? condition.high;
      joined = { kind: 'range', rank: joined.rank, ...(low && { low }), ...(high && { high }) };
    }
  }
  return joined;
}

/** The intervals of a condition in an index field of the given direction, in the order of the index. */
export function intervalsOf(condition: Condition, direction: Direction): Interval[] {
  if (condition.kind === 'range') return [rangeOf(condition, direction)];
  const intervals = condition.values
    .flatMap((value) => (isNullish(value) ? [null, bsonUndefined] : [value]))
    .map((value) => {
      const low = encodeValue(value, direction);
      return { low, high: Buffer.concat([low, above]) };
    })
    .sort((a, b) => Buffer.compare(a.low, b.low));
  return intervals.filter((interval, at) => at === 0 || !interval.low.equals(intervals[at - 1]?.low ?? above));
}

function rangeOf(condition: Extract<Condition, { kind: 'range' }>, direction: Direction): Interval {
  const descending = direction === -1;
  const rank = descending ? 255 - condition.rank : condition.rank;
  const first = descending ? condition.high : condition.low;
  const last = descending ? condition.low : condition.high;
  const low = first ? encodeValue(first.value, direction) : Buffer.from([rank]);
  const high = last ? encodeValue(last.value, direction) : Buffer.from([rank + 1]);
  return {
    low: first && !first.inclusive ? Buffer.concat([low, above]) : low,
    high: last?.inclusive ? Buffer.concat([high, above]) : high,
  };
}
