import { Decimal128, Double } from 'bson';
import { arithmetic, isIntegerType, toDouble } from '../bson/arithmetic.ts';
import { compareValues } from '../bson/compare.ts';
import { decimalOf, divideDecimals, formatDecimal, type Rounding, remainderOfDecimals, roundDecimal } from '../bson/decimal.ts';
import { asDouble, isNullish, isNumeric, type Numeric, typeNameOf } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import type { Operator } from './scope.ts';

const any = Number.MAX_SAFE_INTEGER;

function wide(operator: '+' | '-' | '*', a: Numeric, b: Numeric): Numeric {
  // What Int64 can't hold goes on as a Double, as in the server's expressions.
  const result = arithmetic(operator, a, b);
  if (result !== undefined) return result;
  const [left, right] = [toDouble(a), toDouble(b)];
  return asDouble(operator === '+' ? left + right : operator === '-' ? left - right : left * right);
}

function add(args: unknown[]): unknown {
  let sum: Numeric = 0;
  let date: Date | undefined;
  for (const arg of args) {
    if (isNullish(arg)) return null;
    if (arg instanceof Date) {
      if (date) throw location(16612, 'only one date allowed in an $add expression');
      date = arg;
    } else if (isNumeric(arg)) sum = wide('+', sum, arg);
    else throw failure('TypeMismatch', `$add only supports numeric or date types, not ${typeNameOf(arg)}`);
  }
  return date ? new Date(date.getTime() + Math.round(toDouble(sum))) : sum;
}

function subtract(a: unknown, b: unknown): unknown {
  if (isNullish(a) || isNullish(b)) return null;
  if (a instanceof Date && b instanceof Date) return BigInt(a.getTime() - b.getTime());
  if (a instanceof Date && isNumeric(b)) return new Date(a.getTime() - Math.round(toDouble(b)));
  if (isNumeric(a) && isNumeric(b)) return wide('-', a, b);
  throw failure('TypeMismatch', `can't $subtract ${typeNameOf(b)} from ${typeNameOf(a)}`);
}

function multiply(args: unknown[]): unknown {
  let product: Numeric = 1;
  for (const arg of args) {
    if (isNullish(arg)) return null;
    if (!isNumeric(arg)) throw failure('TypeMismatch', `$multiply only supports numeric types, not ${typeNameOf(arg)}`);
    product = wide('*', product, arg);
  }
  return product;
}

function divide(a: unknown, b: unknown): unknown {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumeric(a) || !isNumeric(b)) {
    throw failure('TypeMismatch', `$divide only supports numeric types, not ${typeNameOf(a)} and ${typeNameOf(b)}`);
  }
  if (toDouble(b) === 0) throw failure('BadValue', "can't $divide by zero");
  if (a instanceof Decimal128 || b instanceof Decimal128) return formatDecimal(divideDecimals(decimalOf(a), decimalOf(b)));
  return asDouble(toDouble(a) / toDouble(b));
}

function mod(a: unknown, b: unknown): unknown {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumeric(a) || !isNumeric(b))
    throw location(16611, `$mod only supports numeric types, not ${typeNameOf(a)} and ${typeNameOf(b)}`);
  if (toDouble(b) === 0) throw location(16610, "can't $mod by zero");
  if (isIntegerType(a) && isIntegerType(b)) {
    const rest = BigInt(a) % BigInt(b);
    return typeof a === 'bigint' || typeof b === 'bigint' ? rest : Number(rest);
  }
  if (a instanceof Decimal128 || b instanceof Decimal128) return formatDecimal(remainderOfDecimals(decimalOf(a), decimalOf(b)));
  return asDouble(toDouble(a) % toDouble(b));
}

/** Rounding leaves integers as they are; `place` counts digits after the point. */
function rounded(name: string, rounding: Rounding, round: (value: number) => number): Operator {
  return {
    min: 1,
    max: name === '$round' || name === '$trunc' ? 2 : 1,
    run: ([value, place = 0]) => {
      if (isNullish(value)) return null;
      if (!isNumeric(value)) throw location(28765, `${name} only supports numeric types, not ${typeNameOf(value)}`);
      const digits = Number(place);
      if (isIntegerType(value) && digits >= 0) return value;
      if (value instanceof Decimal128) return formatDecimal(roundDecimal(decimalOf(value), digits, rounding));
      const scale = 10 ** digits;
      const result = asDouble(round(toDouble(value) * scale) / scale);
      return isIntegerType(value) ? (typeof value === 'bigint' ? BigInt(toDouble(result)) : toDouble(result)) : result;
    },
  };
}

function halfToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

function abs(value: unknown): unknown {
  if (isNullish(value)) return null;
  if (!isNumeric(value)) throw location(28765, `$abs only supports numeric types, not ${typeNameOf(value)}`);
  if (compareValues(value, 0) >= 0) return value;
  return wide('-', 0, value);
}

const operands = (args: unknown[]) => (args.length === 1 && Array.isArray(args[0]) ? (args[0] as unknown[]) : args);

/** The least or greatest value that is not null. */
export function extreme(values: readonly unknown[], sign: 1 | -1): unknown {
  let best: unknown = null;
  for (const value of values) {
    if (isNullish(value)) continue;
    if (best === null || compareValues(value, best) * sign > 0) best = value;
  }
  return best;
}

/** The sum of all numbers among the values; others count nothing. */
export function sumOf(values: readonly unknown[]): Numeric {
  let sum: Numeric = 0;
  for (const value of values) if (isNumeric(value)) sum = wide('+', sum, value);
  return sum;
}

/** The mean of all numbers among the values, null if there is none. */
export function averageOf(values: readonly unknown[]): Numeric | null {
  const numbers = values.filter(isNumeric);
  if (numbers.length === 0) return null;
  if (numbers.some((number) => number instanceof Decimal128)) {
    return formatDecimal(divideDecimals(decimalOf(sumOf(numbers)), decimalOf(numbers.length)));
  }
  return asDouble(toDouble(sumOf(numbers)) / numbers.length);
}

export const mathOperators: ReadonlyArray<[string, Operator]> = [
  ['$add', { min: 0, max: any, run: add }],
  ['$subtract', { min: 2, max: 2, run: ([a, b]) => subtract(a, b) }],
  ['$multiply', { min: 0, max: any, run: multiply }],
  ['$divide', { min: 2, max: 2, run: ([a, b]) => divide(a, b) }],
  ['$mod', { min: 2, max: 2, run: ([a, b]) => mod(a, b) }],
  ['$abs', { min: 1, max: 1, run: ([value]) => abs(value) }],
  ['$ceil', rounded('$ceil', 'ceil', Math.ceil)],
  ['$floor', rounded('$floor', 'floor', Math.floor)],
  ['$trunc', rounded('$trunc', 'trunc', Math.trunc)],
  ['$round', rounded('$round', 'half-even', halfToEven)],
  ['$min', { min: 1, max: any, run: (args) => extreme(operands(args), -1) }],
  ['$max', { min: 1, max: any, run: (args) => extreme(operands(args), 1) }],
  ['$sum', { min: 1, max: any, run: (args) => sumOf(operands(args)) }],
  ['$avg', { min: 1, max: any, run: (args) => averageOf(operands(args)) }],
  ['$rand', { min: 0, max: 1, run: () => new Double(Math.random()) }],
];
