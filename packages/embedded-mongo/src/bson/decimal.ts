import { Decimal128, Double } from 'bson';
import type { Numeric } from './types.ts';

/** An exact decimal: coefficient × 10^exponent; or one of the values that are not finite. */
export type Decimal = { coefficient: bigint; exponent: number } | 'NaN' | 'Infinity' | '-Infinity';

const digitsMax = 34;

export function parseDecimal(value: Decimal128): Decimal {
  const text = value.toString();
  if (text === 'NaN') return 'NaN';
  if (text === 'Infinity' || text === '-Infinity') return text;
  const [mantissa = '0', exponentText = '0'] = text.split('E');
  const point = mantissa.indexOf('.');
  const fraction = point < 0 ? 0 : mantissa.length - point - 1;
  return { coefficient: BigInt(mantissa.replace('.', '')), exponent: Number(exponentText) - fraction };
}

/** Rounds half to even to the 34 digits that a Decimal128 holds. */
export function formatDecimal(value: Decimal): Decimal128 {
  if (typeof value === 'string') return Decimal128.fromString(value);
  let { coefficient, exponent } = value;
  const digits = (coefficient < 0n ? -coefficient : coefficient).toString().length;
  if (digits > digitsMax) {
    const drop = digits - digitsMax;
    const unit = 10n ** BigInt(drop);
    const remainder = coefficient % unit;
    coefficient /= unit;
    exponent += drop;
    const twice = (remainder < 0n ? -remainder : remainder) * 2n;
    if (twice > unit || (twice === unit && coefficient % 2n !== 0n)) coefficient += remainder < 0n ? -1n : 1n;
  }
  return Decimal128.fromString(`${coefficient}E${exponent}`);
}

/** A number as an exact decimal; a Double becomes the decimal that prints it (15 digits, as on the server). */
export function decimalOf(value: Numeric): Decimal {
  if (value instanceof Decimal128) return parseDecimal(value);
  if (typeof value === 'bigint') return { coefficient: value, exponent: 0 };
  const number = value instanceof Double ? value.value : value;
  if (!Number.isFinite(number)) return Number.isNaN(number) ? 'NaN' : number > 0 ? 'Infinity' : '-Infinity';
  return parseDecimal(Decimal128.fromString(Number.isInteger(number) ? BigInt(number).toString() : number.toPrecision(15)));
}

/** A Double as the exact decimal it is: every binary fraction has a finite decimal expansion. */
export function exactDecimalOf(number: number): { coefficient: bigint; exponent: number } {
  let mantissa = Math.abs(number);
  let power = 0;
  while (mantissa !== Math.floor(mantissa) && power < 1100) {
    mantissa *= 2;
    power++;
  }
  const coefficient = BigInt(mantissa) * 5n ** BigInt(power);
  return { coefficient: number < 0 ? -coefficient : coefficient, exponent: -power };
}

/** Compares two finite decimals. */
export function compareDecimals(
  a: { coefficient: bigint; exponent: number },
  b: { coefficient: bigint; exponent: number },
): number {
  const shift = Math.min(a.exponent, b.exponent);
  const left = a.coefficient * 10n ** BigInt(a.exponent - shift);
  const right = b.coefficient * 10n ** BigInt(b.exponent - shift);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** `a op b` on decimals, for the operators that money may meet. */
export function decimalArithmetic(operator: '+' | '-' | '*', a: Decimal, b: Decimal): Decimal {
  if (typeof a === 'string' || typeof b === 'string') {
    const numberOf = (value: Decimal) =>
      typeof value === 'string' ? Number(value) : value.coefficient === 0n ? 0 : value.coefficient < 0n ? -1 : 1;
    const [left, right] = [numberOf(a), numberOf(b)];
    const result = operator === '+' ? left + right : operator === '-' ? left - right : left * right;
    return Number.isNaN(result) ? 'NaN' : result > 0 ? 'Infinity' : '-Infinity';
  }
  if (operator === '*') return { coefficient: a.coefficient * b.coefficient, exponent: a.exponent + b.exponent };
  const exponent = Math.min(a.exponent, b.exponent);
  const left = a.coefficient * 10n ** BigInt(a.exponent - exponent);
  const right = b.coefficient * 10n ** BigInt(b.exponent - exponent);
  return { coefficient: operator === '+' ? left + right : left - right, exponent };
}

/** `a / b`, exact where it has an end within 34 digits, else rounded by `formatDecimal`. The divisor is not zero. */
export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  if (a === 'NaN' || b === 'NaN') return 'NaN';
  if (typeof a === 'string') {
    if (typeof b === 'string') return 'NaN';
    return (a === 'Infinity') === b.coefficient > 0n ? 'Infinity' : '-Infinity';
  }
  if (typeof b === 'string') return { coefficient: 0n, exponent: 0 };
  const ideal = a.exponent - b.exponent;
  const shift = Math.max(0, digitsMax + 2 + digitsOf(b.coefficient) - digitsOf(a.coefficient));
  const dividend = a.coefficient * 10n ** BigInt(shift);
  let coefficient = dividend / b.coefficient;
  let exponent = ideal - shift;
  if (dividend % b.coefficient !== 0n) {
    // One more digit tells the rounding that something follows.
    const negative = a.coefficient < 0n !== b.coefficient < 0n;
    return { coefficient: coefficient * 10n + (negative ? -1n : 1n), exponent: exponent - 1 };
  }
  for (; exponent < ideal && coefficient % 10n === 0n; exponent++) coefficient /= 10n;
  return { coefficient, exponent };
}

const digitsOf = (value: bigint) => (value < 0n ? -value : value).toString().length;

/** The rest of `a / b`, with the sign of `a`. The divisor is not zero. */
export function remainderOfDecimals(a: Decimal, b: Decimal): Decimal {
  if (typeof a === 'string' || b === 'NaN') return 'NaN';
  if (typeof b === 'string') return a;
  const exponent = Math.min(a.exponent, b.exponent);
  const left = a.coefficient * 10n ** BigInt(a.exponent - exponent);
  const right = b.coefficient * 10n ** BigInt(b.exponent - exponent);
  return { coefficient: left % right, exponent };
}

export type Rounding = 'ceil' | 'floor' | 'trunc' | 'half-even';

/** A decimal with at most `place` digits after the point. */
export function roundDecimal(value: Decimal, place: number, rounding: Rounding): Decimal {
  if (typeof value === 'string' || value.exponent >= -place) return value;
  const unit = 10n ** BigInt(-place - value.exponent);
  const rest = value.coefficient % unit;
  const cut = value.coefficient / unit;
  const away = rest < 0n ? -1n : 1n;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  const up =
    rest !== 0n &&
    ((rounding === 'ceil' && rest > 0n) ||
      (rounding === 'floor' && rest < 0n) ||
      (rounding === 'half-even' && (twice > unit || (twice === unit && cut % 2n !== 0n))));
  return { coefficient: up ? cut + away : cut, exponent: -place };
}
