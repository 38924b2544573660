import { compareValues, equalValues } from '../bson/compare.ts';
import { type Doc, isDoc, isInt32, isNullish, isNumeric, typeNameOf } from '../bson/types.ts';
import { location } from '../errors.ts';
import { setField } from '../query/path.ts';
import { conversionOperators } from './operators-convert.ts';
import { mathOperators } from './operators-math.ts';
import { type Operator, truthy } from './scope.ts';

const any = Number.MAX_SAFE_INTEGER;
export const unary = (run: (value: unknown) => unknown): Operator => ({ min: 1, max: 1, run: ([value]) => run(value) });
export const binary = (run: (a: unknown, b: unknown) => unknown): Operator => ({ min: 2, max: 2, run: ([a, b]) => run(a, b) });

const compared = (holds: (order: number) => boolean) => binary((a, b) => holds(missingFirst(a, b)));

/** In expressions a missing value sorts before null. */
function missingFirst(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined)
    return a === b ? 0 : a === undefined ? (compareValues(null, b) > 0 ? 1 : -1) : compareValues(a, null) < 0 ? -1 : 1;
  return compareValues(a, b);
}

/** The codes with which operators refuse what is no array. */
const arrayCodes = {
  ...{ $arrayElemAt: 28689, $first: 28689, $last: 28689, $slice: 28724, $concatArrays: 28664, $reverseArray: 34435 },
  ...{ $indexOfArray: 40090, $arrayToObject: 40386, $setUnion: 17043, $setIntersection: 17047, $setDifference: 17048 },
  ...{ $setEquals: 17044, $setIsSubset: 17046, $allElementsTrue: 17040, $anyElementTrue: 17041 },
} as const;

function arrayOf(value: unknown, name: keyof typeof arrayCodes): unknown[] | null {
  return isNullish(value) ? null : itemsOf(value, name);
}

/** Like `arrayOf`, of operators that refuse null. */
function itemsOf(value: unknown, name: keyof typeof arrayCodes): unknown[] {
  if (!Array.isArray(value)) throw location(arrayCodes[name], `${name} requires an array argument, not ${typeNameOf(value)}`);
  return value;
}

function int32Of(value: unknown, code: number, what: string): number {
  if (!isNumeric(value)) throw location(code, `${what} must be numeric, but is ${typeNameOf(value)}`);
  if (!isInt32(Number(value))) throw location(code + 1, `${what} must be representable as a 32-bit integer: ${String(value)}`);
  return Number(value);
}

const has = (items: readonly unknown[], value: unknown) => items.some((item) => equalValues(item, value));
const distinct = (items: readonly unknown[]) => items.filter((item, at) => !has(items.slice(0, at), item));

function slice(args: unknown[]): unknown {
  const [value, first, second] = args;
  const items = arrayOf(value, '$slice');
  if (!items || isNullish(first)) return null;
  const position = int32Of(first, 28725, 'Second argument to $slice');
  if (args.length < 3) return position < 0 ? items.slice(position) : items.slice(0, position);
  const start = position < 0 ? Math.max(0, items.length + position) : position;
  if (isNullish(second)) return null;
  const count = int32Of(second, 28727, 'Third argument to $slice');
  if (count <= 0) throw location(28729, `Third argument to $slice must be positive: ${count}`);
  return items.slice(start, start + count);
}

function elementAt(items: unknown[] | null, position: unknown): unknown {
  if (!items || isNullish(position)) return null;
  const at = int32Of(position, 28690, "$arrayElemAt's second argument");
  return items.at(at < 0 && -at > items.length ? items.length : at);
}

function merge(args: unknown[]): Doc {
  const merged: Doc = {};
  const flat = args.length === 1 && Array.isArray(args[0]) ? args[0] : args;
  for (const part of flat) {
    if (isNullish(part)) continue;
    if (!isDoc(part)) throw location(40400, `$mergeObjects requires object inputs, but input is of type ${typeNameOf(part)}`);
    for (const [name, value] of Object.entries(part)) setField(merged, name, value);
  }
  return merged;
}

function toObject(value: unknown): unknown {
  const items = arrayOf(value, '$arrayToObject');
  if (!items) return null;
  const doc: Doc = {};
  for (const item of items) {
    const [name, inner] = Array.isArray(item) ? item : isDoc(item) ? [item.k, item.v] : [];
    if (typeof name !== 'string') throw location(40394, '$arrayToObject requires an array of key-value pairs');
    setField(doc, name, inner);
  }
  return doc;
}

function toPairs(value: unknown): unknown {
  if (isNullish(value)) return null;
  if (!isDoc(value)) throw location(40390, `$objectToArray requires a document input, found: ${typeNameOf(value)}`);
  return Object.entries(value).map(([k, v]) => ({ k, v }));
}

function range(args: unknown[]): number[] {
  const [first, last, by = 1] = args;
  const start = int32Of(first, 34443, '$range starting value');
  const end = int32Of(last, 34445, '$range ending value');
  const step = int32Of(by, 34447, '$range step value');
  if (step === 0) throw location(34449, '$range requires a non-zero step value');
  const numbers: number[] = [];
  for (let at = start; step > 0 ? at < end : at > end; at += step) numbers.push(at);
  return numbers;
}

function concat(args: unknown[]): string | null {
  let text = '';
  for (const part of args) {
    if (isNullish(part)) return null;
    if (typeof part !== 'string') throw location(16702, `$concat only supports strings, not ${typeNameOf(part)}`);
    text += part;
  }
  return text;
}

export const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['$eq', compared((order) => order === 0)],
  ['$ne', compared((order) => order !== 0)],
  ['$gt', compared((order) => order > 0)],
  ['$gte', compared((order) => order >= 0)],
  ['$lt', compared((order) => order < 0)],
  ['$lte', compared((order) => order <= 0)],
  ['$cmp', binary((a, b) => missingFirst(a, b))],
  ['$not', unary((value) => !truthy(value))],
  ['$concat', { min: 0, max: any, run: concat }],
  [
    '$size',
    unary((value) => {
      if (!Array.isArray(value))
        throw location(17124, `The argument to $size must be an array, but was of type: ${typeNameOf(value)}`);
      return value.length;
    }),
  ],
  ['$isArray', unary((value) => Array.isArray(value))],
  ['$isNumber', unary((value) => isNumeric(value))],
  ['$type', unary((value) => typeNameOf(value))],
  [
    '$in',
    binary((value, items) => {
      if (!Array.isArray(items)) throw location(40081, `$in requires an array as a second argument, found: ${typeNameOf(items)}`);
      return has(items, value);
    }),
  ],
  ['$arrayElemAt', binary((items, position) => elementAt(arrayOf(items, '$arrayElemAt'), position))],
  ['$first', unary((items) => elementAt(arrayOf(items, '$first'), 0))],
  ['$last', unary((items) => elementAt(arrayOf(items, '$last'), -1))],
  ['$slice', { min: 2, max: 3, run: slice }],
  [
    '$concatArrays',
    {
      min: 0,
      max: any,
      run: (args) => {
        const arrays = args.map((arg) => arrayOf(arg, '$concatArrays'));
        return arrays.includes(null) ? null : arrays.flatMap((items) => items ?? []);
      },
    },
  ],
  ['$reverseArray', unary((items) => arrayOf(items, '$reverseArray')?.toReversed() ?? null)],
  [
    '$indexOfArray',
    binary((items, value) => arrayOf(items, '$indexOfArray')?.findIndex((item) => equalValues(item, value)) ?? null),
  ],
  ['$range', { min: 2, max: 3, run: range }],
  ['$mergeObjects', { min: 0, max: any, run: merge }],
  ['$objectToArray', unary(toPairs)],
  ['$arrayToObject', unary(toObject)],
  [
    '$setUnion',
    {
      min: 0,
      max: any,
      run: (args) => {
        const arrays = args.map((arg) => arrayOf(arg, '$setUnion'));
        return arrays.includes(null) ? null : distinct(arrays.flatMap((items) => items ?? []));
      },
    },
  ],
  [
    '$setIntersection',
    {
      min: 0,
      max: any,
      run: (args) => {
        const arrays = args.map((arg) => arrayOf(arg, '$setIntersection'));
        if (arrays.includes(null)) return null;
        const [first, ...rest] = arrays;
        return distinct((first ?? []).filter((item) => rest.every((items) => has(items ?? [], item))));
      },
    },
  ],
  [
    '$setDifference',
    binary((a, b) => {
      const [left, right] = [arrayOf(a, '$setDifference'), arrayOf(b, '$setDifference')];
      return left && right ? distinct(left.filter((item) => !has(right, item))) : null;
    }),
  ],
  [
    '$setEquals',
    binary((a, b) => {
      const [left, right] = [itemsOf(a, '$setEquals'), itemsOf(b, '$setEquals')];
      return left.every((item) => has(right, item)) && right.every((item) => has(left, item));
    }),
  ],
  ['$setIsSubset', binary((a, b) => itemsOf(a, '$setIsSubset').every((item) => has(itemsOf(b, '$setIsSubset'), item)))],
  ['$allElementsTrue', unary((items) => itemsOf(items, '$allElementsTrue').every(truthy))],
  ['$anyElementTrue', unary((items) => itemsOf(items, '$anyElementTrue').some(truthy))],
  ...mathOperators,
  ...conversionOperators,
]);
