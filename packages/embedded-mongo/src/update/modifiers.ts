import { Timestamp } from 'bson';
import { arithmetic, fitsInt64, isIntegerType } from '../bson/arithmetic.ts';
import { compareValues } from '../bson/compare.ts';
import { isDoc, isNumeric, typeNameOf } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { addToSet, pop, pull, pullAll, push } from './array-modifiers.ts';
import { type Change, copy, type MakeChange, removed, unchanged } from './paths.ts';

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
  if (typeof operand === 'boolean') return () => now;
  if (!isDoc(operand)) {
    throw failure(
      'BadValue',
      `${typeNameOf(operand)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}) for ${path}.`,
    );
  }
  const other = Object.keys(operand).find((name) => name !== '$type');
  if (other !== undefined) throw failure('BadValue', `Unrecognized $currentDate option: ${other}`);
  if (operand.$type === 'date') return () => now;
  if (operand.$type === 'timestamp') return () => new Timestamp({ t: Math.floor(now.getTime() / 1000), i: 1 });
  throw failure(
    'BadValue',
    "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}",
  );
};

const bitOperations: Record<string, (value: bigint, mask: bigint) => bigint> = {
  and: (value, mask) => value & mask,
  or: (value, mask) => value | mask,
  xor: (value, mask) => value ^ mask,
};

const bit: MakeChange = (path, operand) => {
  if (!isDoc(operand)) throw failure('BadValue', `The $bit modifier is not compatible with a ${typeNameOf(operand)}`);
  const steps = Object.entries(operand).map(([name, mask]) => {
    const apply = Object.hasOwn(bitOperations, name) ? bitOperations[name] : undefined;
    if (!apply) throw failure('BadValue', `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}'`);
    if (!isNumeric(mask) || !isIntegerType(mask))
      throw failure(
        'BadValue',
        `The $bit modifier field must be an Integer(32/64 bit); a '${typeNameOf(mask)}' is not supported`,
      );
    return { apply, mask };
  });
  if (steps.length === 0) throw failure('BadValue', 'You must pass in at least one bitwise operation for $bit');
  return (old) => {
    const start = old === undefined ? 0 : old;
    if (!isNumeric(start) || !isIntegerType(start))
      throw failure('BadValue', `Cannot apply $bit to a value of non-integral type for ${path}`);
    const value = steps.reduce((sum, { apply, mask }) => apply(sum, BigInt(mask)), BigInt(start));
    const long = typeof start === 'bigint' || steps.some(({ mask }) => typeof mask === 'bigint');
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
  ['$pull', pull],
  ['$pullAll', pullAll],
  ['$bit', bit],
]);
