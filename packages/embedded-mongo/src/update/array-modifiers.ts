import { BSONRegExp } from 'bson';
import { compareValues, equalValues } from '../bson/compare.ts';
import { type Doc, isDoc, isNumeric, typeNameOf } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { refuseExpr } from '../query/expr-places.ts';
import { compileItem } from '../query/match.ts';
import { equalTo, isOperatorDoc } from '../query/match-values.ts';
import { compilePattern } from '../query/pattern.ts';
import { compileSort } from '../query/sort.ts';
import { absent, type Change, copy, type MakeChange, unchanged } from './paths.ts';

const bad = (message: string) => failure('BadValue', message);

function arrayAt(name: string, path: string, old: unknown): unknown[] {
  if (Array.isArray(old)) return old;
  throw bad(`The field '${path}' must be an array but is of type ${typeNameOf(old)} (${name})`);
}

const pushModifiers = ['$each', '$slice', '$sort', '$position'];

/** A clause without `$each` would be stored as a value, which no caller means. */
function refuseStrayClause(path: string, operand: unknown): void {
  const stray = isDoc(operand)
    ? Object.keys(operand).find((name) => name === '$each' || pushModifiers.includes(name))
    : undefined;
  if (stray !== undefined)
    throw failure(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${stray}' in '${path}.${stray}' is not valid for storage.`,
    );
}

export const push: MakeChange = (path, operand) => {
  const modified = isDoc(operand) && Object.hasOwn(operand, '$each');
  if (!modified) refuseStrayClause(path, operand);
  const modifiers: Doc = modified ? operand : { $each: [operand] };
  for (const name of Object.keys(modifiers)) {
    if (!pushModifiers.includes(name)) throw bad(`Unrecognized clause in $push: ${name}`);
  }
  const items = modifiers.$each;
  if (!Array.isArray(items))
    throw bad(`The argument to $each in $push must be an array but it was of type: ${typeNameOf(items)}`);
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
  if (!isNumeric(value) || !Number.isInteger(Number(value)))
    throw bad(`The value for ${name} must be an integer value but was given type: ${typeNameOf(value)}`);
  return Number(value);
}

function itemOrder(sort: unknown): ((a: unknown, b: unknown) => number) | undefined {
  if (sort === undefined) return undefined;
  if (isDoc(sort)) {
    checkSortPattern(sort);
    const compare = compileSort(sort);
    return (a, b) => compare(isDoc(a) ? a : {}, isDoc(b) ? b : {});
  }
  if (!isNumeric(sort))
    throw bad('The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields');
  const direction = directionOf(sort);
  return (a, b) => compareValues(a, b) * direction;
}

function directionOf(value: unknown): 1 | -1 {
  const direction = isNumeric(value) ? Number(value) : 0;
  if (direction !== 1 && direction !== -1) throw bad('The $sort element value must be either 1 or -1');
  return direction;
}

function checkSortPattern(sort: Doc): void {
  const entries = Object.entries(sort);
  if (entries.length === 0) throw bad('The $sort pattern is empty when it should be a set of fields.');
  for (const [path, direction] of entries) {
    directionOf(direction);
    if (path === '') throw bad('The $sort field cannot be empty');
    if (path.split('.').includes('')) throw bad(`The $sort field is a dotted field but has an empty part: ${path}`);
  }
}

export const addToSet: MakeChange = (path, operand) => {
  const [first] = isDoc(operand) ? Object.keys(operand) : [];
  const modified = isDoc(operand) && first === '$each';
  if (!modified) refuseStrayClause(path, operand);
  const items = modified ? operand.$each : [operand];
  if (!Array.isArray(items))
    throw failure('TypeMismatch', `The argument to $each in $addToSet must be an array but it was of type ${typeNameOf(items)}`);
  if (modified && Object.keys(operand).length > 1) throw bad('Found unexpected fields after $each in $addToSet');
  return (old) => {
    const array = old === undefined ? [] : [...arrayAt('$addToSet', path, old)];
    const before = array.length;
    for (const item of items) if (!array.some((other) => equalValues(other, item))) array.push(copy(item));
    return old !== undefined && array.length === before ? unchanged : array;
  };
};

export const pop: MakeChange = (path, operand) => {
  const end = isNumeric(operand) ? Number(operand) : 0;
  if (end !== 1 && end !== -1) throw failure('FailedToParse', `$pop expects 1 or -1, found: ${String(operand)}`);
  return (old) => {
    if (old === undefined) return absent;
    if (!Array.isArray(old))
      throw failure('TypeMismatch', `Path '${path}' contains an element of non-array type '${typeNameOf(old)}'`);
    if (old.length === 0) return unchanged;
    return end === 1 ? old.slice(0, -1) : old.slice(1);
  };
};

function pullTest(operand: unknown): (item: unknown) => boolean {
  if (operand instanceof BSONRegExp) return compilePattern(operand.pattern, operand.options);
  if (!isDoc(operand)) return equalTo(operand);
  refuseExpr(operand, '$expr is not allowed in this context');
  const matches = compileItem(operand, {}, '$pull');
  return isOperatorDoc(operand) ? matches : (item) => isDoc(item) && matches(item);
}

function without(name: string, gone: (item: unknown) => boolean): Change {
  return (old) => {
    if (old === undefined) return absent;
    if (!Array.isArray(old)) throw bad(`Cannot apply ${name} to a non-array value`);
    const kept = old.filter((item) => !gone(item));
    return kept.length === old.length ? unchanged : kept;
  };
}

export const pull: MakeChange = (_path, operand) => without('$pull', pullTest(operand));

export const pullAll: MakeChange = (_path, operand) => {
  if (!Array.isArray(operand)) throw bad(`$pullAll requires an array argument but was given a ${typeNameOf(operand)}`);
  return without('$pullAll', (item) => operand.some((other) => equalValues(item, other)));
};
