import { BSONRegExp } from 'bson';
import { compareValues } from '../bson/compare.ts';
import { bsonUndefined, type Doc, isDoc, isNullish, isNumeric, rankOf, typeRank } from '../bson/types.ts';
import { above, type Direction, encodeValue } from '../storage/index-key.ts';
import { isOperatorDoc } from './match-values.ts';
import { isPosition } from './path.ts';

/** What a filter demands of one path: one of some values, or a range within one type. */
export type Condition = { kind: 'points'; values: readonly unknown[] } | Range;
type Range = { kind: 'range'; rank: number; low?: Edge; high?: Edge };
type Edge = { value: unknown; inclusive: boolean };

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
      if (name === '$or' && Array.isArray(operand)) {
        const [only, ...others] = branchesOf(operand);
        if (only && others.length === 0) visit(only, prefix);
      }
      if (name.startsWith('$') || (prefix !== '' && beginsWithPosition(name))) continue;
      const path = prefix + name;
      for (const condition of conditionsOn(operand)) if (!misses(path, condition)) add(path, condition);
      if (isOperatorDoc(operand) && isDoc(operand.$elemMatch) && !isOperatorDoc(operand.$elemMatch)) {
        visit(operand.$elemMatch, `${path}.`);
      }
    }
  };
  visit(filter, '');
  return conditions;
}

/** The branches of `$or`; as on the server, those that are equalities on the path of the first of them are one `$in`. */
export function branchesOf(operand: readonly unknown[]): Doc[] {
  const branches = operand.filter(isDoc);
  const path = branches.map(equalityOf).find((one) => one !== undefined)?.path;
  const equal = (branch: Doc) => {
    const one = equalityOf(branch);
    return one?.path === path ? one : undefined;
  };
  const values = branches.flatMap((branch) => equal(branch)?.value ?? []);
  if (path === undefined || values.length < 2) return branches;
  return [{ [path]: { $in: values } }, ...branches.filter((branch) => !equal(branch))];
}

function equalityOf(branch: Doc): { path: string; value: unknown[] } | undefined {
  const [[path, operand] = [''], another] = Object.entries(branch);
  if (another || path === '' || path.startsWith('$')) return undefined;
  const isEqual = isOperatorDoc(operand) && Object.keys(operand).length === 1 && '$eq' in operand;
  const value = isEqual ? operand.$eq : operand;
  return (isOperatorDoc(operand) && !isEqual) || value instanceof BSONRegExp ? undefined : { path, value: [value] };
}

/** An array that is an element is a document of positions to `$elemMatch`, whose elements no index has. */
const beginsWithPosition = (path: string) => isPosition(path.split('.', 1)[0] ?? '');

/**
 * Whether documents may satisfy a condition without an entry for it: a position is also sought as a field of each element, where
 * it is missing, while an index holds what is at the position.
 */
const misses = (path: string, condition: Condition) =>
  condition.kind === 'points' && path.includes('.') && condition.values.some(isNullish) && path.split('.').some(isPosition);

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

/**
 * What an operator demands, as far as bounds can tell: exactly, but for NaN, which sorts below all numbers and is less than none.
 */
export function conditionOf(name: string, value: unknown): Condition | undefined {
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

/**
 * Joins conditions on a path no document has an array on; with arrays each element may satisfy another, so the best one is kept.
 */
export function combine(conditions: readonly Condition[], arrays: boolean): Condition | undefined {
  const points = conditions.find((condition) => condition.kind === 'points');
  if (points) return points;
  const ranges = conditions.filter((condition) => condition.kind === 'range');
  if (arrays) return ranges.find((range) => range.low || range.high) ?? ranges[0];
  const [first, ...others] = ranges;
  if (!first) return undefined;
  // One value has one type.
  if (others.some((range) => range.rank !== first.rank)) return { kind: 'points', values: [] };
  return others.reduce<Range>(intersection, first);
}

function intersection(a: Range, b: Range): Range {
  const low = tighter(a.low, b.low, 1);
  const high = tighter(a.high, b.high, -1);
  return { kind: 'range', rank: a.rank, ...(low && { low }), ...(high && { high }) };
}

function tighter(a: Edge | undefined, b: Edge | undefined, sign: 1 | -1): Edge | undefined {
  if (!a || !b) return a ?? b;
  const order = compareValues(a.value, b.value) * sign;
  return order > 0 || (order === 0 && !a.inclusive) ? a : b;
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

function rangeOf(condition: Range, direction: Direction): Interval {
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
