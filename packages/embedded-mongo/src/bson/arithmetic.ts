import { Decimal128, Double } from 'bson';
import { decimalArithmetic, decimalOf, formatDecimal } from './decimal.ts';
import { asDouble, isInt32, type Numeric } from './types.ts';

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);
export const fitsInt64 = (value: bigint) => value >= int64Min && value <= int64Max;

/** A number as a JavaScript double, which may lose digits. */
export function toDouble(value: Numeric): number {
  if (typeof value === 'number') return value;
  if (value instanceof Double) return value.value;
  return Number(value.toString());
}

/** Whether a number is an Int32 or Int64. */
export function isIntegerType(value: Numeric): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && isInt32(value));
}

/**
 * `a op b` in the wider of the two types: Int32 grows to Int64 when it overflows; what Int64 can't hold is undefined
 * here, and the caller decides whether that is an error or a Double. Integers never pass through doubles.
 */
export function arithmetic(operator: '+' | '-' | '*', a: Numeric, b: Numeric): Numeric | undefined {
  if (a instanceof Decimal128 || b instanceof Decimal128) {
    return formatDecimal(decimalArithmetic(operator, decimalOf(a), decimalOf(b)));
  }
  if (isIntegerType(a) && isIntegerType(b)) {
    const bothInt32 = typeof a === 'number' && typeof b === 'number';
    if (bothInt32 && operator !== '*') {
      const small = operator === '+' ? a + b : a - b;
      return isInt32(small) ? small : BigInt(small);
    }
    const [left, right] = [BigInt(a), BigInt(b)];
    const result = operator === '+' ? left + right : operator === '-' ? left - right : left * right;
    if (!fitsInt64(result)) return undefined;
    return bothInt32 && isInt32(Number(result)) ? Number(result) : result;
  }
  const [left, right] = [toDouble(a), toDouble(b)];
  return asDouble(operator === '+' ? left + right : operator === '-' ? left - right : left * right);
}
