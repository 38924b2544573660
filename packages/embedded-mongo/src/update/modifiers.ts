import { BSONRegExp, Timestamp } from 'bson';
import { arithmetic, fitsInt64, isIntegerType } from '../bson/arithmetic.ts';
import { compareValues, equalValues } from '../bson/compare.ts';
import { type Doc, isDoc, isNumeric, typeNameOf } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { compileItem } from '../query/match.ts';
import { equalTo, isOperatorDoc } from '../query/match-values.ts';
import { compilePattern } from '../query/pattern.ts';
import { compileSort } from '../query/sort.ts';
import { type Change, removed, unchanged } from './paths.ts';

/** Makes the change that one modifier asks for at one path. */
export type MakeChange = (path: string, operand: unknown, now: Date) => Change;

/** `operand` is shared by all documents of an update, so what is stored is a copy. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (isDoc(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copy(inner)]));
  return value;
}

const set: MakeChange = (_path, operand) => () => copy(operand);

function arithmeticChange(name: '$inc' | '$mul', path: string, operand: unknown): Change {
  if (!isNumeric(operand)) {
    throw failure(
      'TypeMismatch',
      `Cannot ${name === '$inc' ? 'increment' : 'multiply'} with non-numeric argument: {${path}: ${String(operand)}}`,
    );
  }
  return (old) => {
    if (old === undefined) return name === '$inc' ? operand : arithmetic('*', operand, 0);
    if (!isNumeric(old)) {
      throw failure(
        'TypeMismatch',
        `Cannot apply ${name} to a value of non-numeric type. The field '${path}' is of type ${typeNameOf(old)}`,
      );
    }
    const result = arithmetic(name === '$inc' ? '+' : '*', old, operand);
    if (result === undefined)
      throw failure(
        'BadValue',
        `Failed to apply ${name} operations to current value (${String(old)}) for document field '${path}'`,
      );
    return result;
  };
}

const comparing =
  (sign: 1 | -1): MakeChange =>
  (_path, operand) =>
  (old) =>
    old === undefined || compareValues(operand, old) * sign > 0 ? copy(operand) : unchanged;

const currentDate: MakeChange = (path, operand, now) => {
  const type = isDoc(operand) ? operand.$type : operand;
  if (type === true || type === false || type === 'date') return () => now;
  if (type === 'timestamp') return () => new Timestamp({ t: Math.floor(now.getTime() / 1000), i: 1 });
  throw failure(
    'BadValue',
    `${typeNameOf(operand)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}) for ${path}.`,
  );
};

function arrayAt(name: string, path: string, old: unknown): unknown[] {
  if (Array.isArray(old)) return old;
  throw failure('BadValue', `The field '${path}' must be an array but is of type ${typeNameOf(old)} (${name})`);
}

const pushModifiers = ['$each', '$slice', '$sort', '$position'];

const push: MakeChange = (path, operand) => {
  const modified = isDoc(operand) && Object.hasOwn(operand, '$each');
  const modifiers: Doc = modified ? operand : { $each: [operand] };
  for (const name of Object.keys(modifiers)) {
    if (!pushModifiers.includes(name)) throw failure('BadValue', `Unrecognized clause in $push: ${name}`);
  }
  const items = modifiers.$each;
  if (!Array.isArray(items))
    throw failure('BadValue', `The argument to $each in $push must be an array but it was of type: ${typeNameOf(items)}`);
  const slice = integerClause('$slice', modifiers.$slice);
  const position = integerClause('$position', modifiers.$position);
  const order = itemOrder(modifiers.$sort);
  return (old) => {
    const array = old === undefined ? [] : [...arrayAt('$push', path, old)];
    array.splice(position === undefined ? array.length : position, 0, ...items.map(copy));
    if (order) array.sort(order);
    if (slice === undefined) return array;
    return slice === 0 ? [] : slice < 0 ? array.slice(slice) : array.slice(0, slice);
  };
};

function integerClause(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (!isNumeric(value) || !Number.isInteger(Number(value))) {
    throw failure('BadValue', `The value for ${name} must be an integer value but was given type: ${typeNameOf(value)}`);
  }
  return Number(value);
}

function itemOrder(sort: unknown): ((a: unknown, b: unknown) => number) | undefined {
  if (sort === undefined) return undefined;
  if (isDoc(sort)) {
    const compare = compileSort(sort);
    return (a, b) => compare(isDoc(a) ? a : {}, isDoc(b) ? b : {});
  }
  const direction = Number(sort);
  if (direction !== 1 && direction !== -1)
    throw failure('BadValue', 'The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1}');
  return (a, b) => compareValues(a, b) * direction;
}

const addToSet: MakeChange = (path, operand) => {
  const modified = isDoc(operand) && Object.hasOwn(operand, '$each');
  const items = modified ? operand.$each : [operand];
  if (!Array.isArray(items))
    throw failure('TypeMismatch', `The argument to $each in $addToSet must be an array but it was of type ${typeNameOf(items)}`);
  return (old) => {
    const array = old === undefined ? [] : [...arrayAt('$addToSet', path, old)];
    const before = array.length;
    for (const item of items) if (!array.some((other) => equalValues(other, item))) array.push(copy(item));
    return old !== undefined && array.length === before ? unchanged : array;
  };
};

const pop: MakeChange = (path, operand) => {
  const end = Number(operand);
  if (end !== 1 && end !== -1) throw failure('FailedToParse', `$pop expects 1 or -1, found: ${String(operand)}`);
  return (old) => {
    if (old === undefined) return unchanged;
    if (!Array.isArray(old))
      throw failure('TypeMismatch', `Path '${path}' contains an element of non-array type '${typeNameOf(old)}'`);
    return end === 1 ? old.slice(0, -1) : old.slice(1);
  };
};

function pullTest(operand: unknown): (item: unknown) => boolean {
  if (operand instanceof BSONRegExp) return compilePattern(operand.pattern, operand.options);
  if (isOperatorDoc(operand)) return compileItem(operand, {}, '$pull');
  if (isDoc(operand)) {
    const matches = compileItem(operand, {}, '$pull');
    return (item) => isDoc(item) && matches(item);
  }
  return equalTo(operand);
}

function without(name: string, gone: (item: unknown) => boolean): Change {
  return (old) => {
    if (old === undefined) return unchanged;
    const array = Array.isArray(old) ? old : undefined;
    if (!array) throw failure('BadValue', `Cannot apply ${name} to a non-array value`);
    const kept = array.filter((item) => !gone(item));
    return kept.length === array.length ? unchanged : kept;
  };
}

const pullAll: MakeChange = (_path, operand) => {
  if (!Array.isArray(operand))
    throw failure('BadValue', `$pullAll requires an array argument but was given a ${typeNameOf(operand)}`);
  return without('$pullAll', (item) => operand.some((other) => equalValues(item, other)));
};

const bit: MakeChange = (path, operand) => {
  if (!isDoc(operand)) throw failure('BadValue', `The $bit modifier is not compatible with a ${typeNameOf(operand)}`);
  return (old) => {
    if (old !== undefined && !(isNumeric(old) && isIntegerType(old))) {
      throw failure('BadValue', `Cannot apply $bit to a value of non-integral type for ${path}`);
    }
    let value = BigInt(old === undefined ? 0 : Number.isInteger(old) || typeof old === 'bigint' ? (old as number | bigint) : 0);
    let long = typeof old === 'bigint';
    for (const [name, mask] of Object.entries(operand)) {
      if (!isNumeric(mask) || !isIntegerType(mask))
        throw failure('BadValue', 'The $bit modifier field must be an Integer(32/64 bit)');
      long ||= typeof mask === 'bigint';
      const bits = BigInt(mask);
      if (name === 'and') value &= bits;
      else if (name === 'or') value |= bits;
      else if (name === 'xor') value ^= bits;
      else throw failure('BadValue', `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}'`);
    }
    return long || !fitsInt64(value) ? value : Number(value);
  };
};

/** All modifiers but `$rename`, which has two paths. */
export const modifiers: ReadonlyMap<string, MakeChange> = new Map<string, MakeChange>([
  ['$set', set],
  ['$setOnInsert', set],
  ['$unset', () => () => removed],
  ['$inc', (path, operand) => arithmeticChange('$inc', path, operand)],
  ['$mul', (path, operand) => arithmeticChange('$mul', path, operand)],
  ['$min', comparing(-1)],
  ['$max', comparing(1)],
  ['$currentDate', currentDate],
  ['$push', push],
  ['$addToSet', addToSet],
  ['$pop', pop],
  ['$pull', (_path, operand) => without('$pull', pullTest(operand))],
  ['$pullAll', pullAll],
  ['$bit', bit],
]);
