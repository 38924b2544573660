import { BSONRegExp, Decimal128, Double } from 'bson';
import { compareValues } from '../bson/compare.ts';
import {
  type Doc,
  isDoc,
  isNullish,
  isNumeric,
  isTypeNumber,
  rankOf,
  typeNumber,
  typeNumberOf,
  typeRank,
} from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { compilePatternOfOne } from './pattern.ts';

/** Tells whether one value satisfies an operator; whether elements of an array are tried as well is the path's matter. */
export type Test = (value: unknown) => boolean;

const bad = (message: string) => failure('BadValue', message);

/** Whether an operand is a document of operators rather than a value to equal. */
export function isOperatorDoc(operand: unknown): operand is Doc {
  if (!isDoc(operand)) return false;
  const [first] = Object.keys(operand);
  return first?.startsWith('$') === true && first !== '$ref' && first !== '$id' && first !== '$db';
}

/** Equality as filters mean it: null also equals a missing field. */
export function equalTo(operand: unknown): Test {
  if (isNullish(operand)) return (value) => isNullish(value);
  if (typeof operand === 'string' || typeof operand === 'boolean') return (value) => value === operand;
  return (value) => value !== undefined && compareValues(value, operand) === 0;
}

export function inOrder(name: '$gt' | '$gte' | '$lt' | '$lte', operand: unknown): Test {
  const rank = rankOf(operand);
  if (rank === typeRank.null || rank === typeRank.undefined) {
    return name === '$gte' || name === '$lte' ? (value) => isNullish(value) : () => false;
  }
  const holds = {
    $gt: (order: number) => order > 0,
    $gte: (order: number) => order >= 0,
    $lt: (order: number) => order < 0,
    $lte: (order: number) => order <= 0,
  }[name];
  const anyType = rank === typeRank.minKey || rank === typeRank.maxKey;
  const operandNaN = isNaNValue(operand);
  return (value) => {
    if (value === undefined) return false;
    if (!anyType && rankOf(value) !== rank) return false;
    if (operandNaN !== isNaNValue(value)) return false;
    return holds(compareValues(value, operand));
  };
}

function isNaNValue(value: unknown): boolean {
  return Number.isNaN(value) || (value instanceof Decimal128 && value.toString() === 'NaN');
}

export function oneOf(name: string, operand: unknown): Test {
  if (!Array.isArray(operand)) throw bad(`${name} needs an array`);
  const plain = new Set<unknown>();
  const tests: Test[] = [];
  for (const item of operand) {
    if (isOperatorDoc(item)) throw bad(`cannot nest $ under ${name}`);
    if (typeof item === 'string') plain.add(item);
    else tests.push(item instanceof BSONRegExp ? compilePatternOfOne(item.pattern, item.options) : equalTo(item));
  }
  return (value) => plain.has(value) || tests.some((test) => test(value));
}

export function ofType(operand: unknown): Test {
  const numbers = new Set<number>();
  const wanted = Array.isArray(operand) ? operand : [operand];
  if (wanted.length === 0) throw failure('FailedToParse', '$type must match at least one type');
  for (const one of wanted) {
    if (one === 'number') for (const number of [1, 16, 18, 19]) numbers.add(number);
    else if (typeof one === 'string') {
      const number = typeNumber(one);
      if (number === undefined) throw bad(`Unknown type name alias: ${one}`);
      numbers.add(number);
    } else {
      const number = one instanceof Double ? one.value : Number(one);
      if (!isNumeric(one)) throw failure('TypeMismatch', 'type must be represented as a number or a string');
      if (!isTypeNumber(number)) throw bad(`Invalid numerical type code: ${number}`);
      numbers.add(number);
    }
  }
  return (value) => value !== undefined && numbers.has(typeNumberOf(value));
}

export function regexTest(operand: unknown, siblings: Doc): Test {
  const options = siblings.$options;
  if (options !== undefined && typeof options !== 'string') throw bad('$options has to be a string');
  if (operand instanceof BSONRegExp) {
    if (options !== undefined && operand.options !== '') {
      throw location(51075, 'options set in both $regex and $options');
    }
    return compilePatternOfOne(operand.pattern, options ?? operand.options);
  }
  if (typeof operand !== 'string') throw bad('$regex has to be a string');
  return compilePatternOfOne(operand, options ?? '');
}

export function modulo(operand: unknown): Test {
  if (!Array.isArray(operand)) throw bad('malformed mod, needs to be an array');
  if (operand.length < 2) throw bad('malformed mod, not enough elements');
  if (operand.length > 2) throw bad('malformed mod, too many elements');
  const divisor = integerOf(operand[0]);
  const remainder = integerOf(operand[1]);
  if (divisor === undefined) throw bad('malformed mod, divisor not a number');
  if (remainder === undefined) throw bad('malformed mod, remainder not a number');
  if (divisor === 0n) throw bad('divisor cannot be 0');
  return (value) => {
    const integer = integerOf(value);
    return integer !== undefined && integer % divisor === remainder;
  };
}

/** A number cut to an integer; undefined for anything else. */
function integerOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  const number = value instanceof Double ? value.value : value instanceof Decimal128 ? Number(value.toString()) : value;
  return typeof number === 'number' && Number.isFinite(number) ? BigInt(Math.trunc(number)) : undefined;
}

export function sizeIs(operand: unknown): Test {
  const size = integerOf(operand);
  if (size === undefined)
    throw failure('FailedToParse', `Failed to parse $size. Expected a number in: $size: ${String(operand)}`);
  if (!Number.isInteger(Number(operand)))
    throw failure('FailedToParse', `Failed to parse $size. Expected an integer: $size: ${String(operand)}`);
  if (size < 0n) throw failure('FailedToParse', `Failed to parse $size. Expected a non-negative number in: $size: ${size}`);
  return (value) => Array.isArray(value) && BigInt(value.length) === size;
}
