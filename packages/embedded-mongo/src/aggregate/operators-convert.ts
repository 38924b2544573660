import { Decimal128, Double, ObjectId } from 'bson';
import { fitsInt64, isIntegerType, toDouble } from '../bson/arithmetic.ts';
import { decimalOf, formatDecimal } from '../bson/decimal.ts';
import { asDouble, isInt32, isNullish, isNumeric, typeNameOf } from '../bson/types.ts';
import { failure } from '../errors.ts';
import type { Operator } from './scope.ts';
import { truthy } from './scope.ts';

const unsupported = (value: unknown, to: string) =>
  failure('ConversionFailure', `Unsupported conversion from ${typeNameOf(value)} to ${to} in $convert with no onError value`);
const unparsable = (value: unknown, to: string) =>
  failure('ConversionFailure', `Failed to parse number '${String(value)}' in $convert with no onError value (to ${to})`);

function toText(value: unknown): unknown {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || isNumeric(value)) return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof ObjectId) return value.toHexString();
  throw unsupported(value, 'string');
}

function toInteger(value: unknown, to: 'int' | 'long'): bigint {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (value instanceof Date && to === 'long') return BigInt(value.getTime());
  if (typeof value === 'string') {
    if (!/^[+-]?\d+$/.test(value)) throw unparsable(value, to);
    return BigInt(value);
  }
  if (!isNumeric(value)) throw unsupported(value, to);
  if (isIntegerType(value)) return BigInt(value);
  if (value instanceof Decimal128) {
    const decimal = decimalOf(value);
    if (typeof decimal === 'string') throw unsupported(value, to);
    return decimal.exponent >= 0
      ? decimal.coefficient * 10n ** BigInt(decimal.exponent)
      : decimal.coefficient / 10n ** BigInt(-decimal.exponent);
  }
  const number = toDouble(value);
  if (!Number.isFinite(number)) throw failure('ConversionFailure', `Attempt to convert ${number} to integer`);
  return BigInt(Math.trunc(number));
}

function toInt(value: unknown): number {
  const integer = toInteger(value, 'int');
  if (!isInt32(Number(integer)))
    throw failure('ConversionFailure', 'Conversion would overflow target type in $convert with no onError value');
  return Number(integer);
}

function toLong(value: unknown): bigint {
  const integer = toInteger(value, 'long');
  if (!fitsInt64(integer))
    throw failure('ConversionFailure', 'Conversion would overflow target type in $convert with no onError value');
  return integer;
}

function toFloat(value: unknown): unknown {
  if (typeof value === 'boolean') return new Double(value ? 1 : 0);
  if (value instanceof Date) return asDouble(value.getTime());
  if (typeof value === 'string') {
    const number = Number(value);
    if (value.trim() === '' || Number.isNaN(number)) throw unparsable(value, 'double');
    return asDouble(number);
  }
  if (!isNumeric(value)) throw unsupported(value, 'double');
  return asDouble(toDouble(value));
}

function toDecimal(value: unknown): Decimal128 {
  if (typeof value === 'boolean') return Decimal128.fromString(value ? '1' : '0');
  if (value instanceof Date) return Decimal128.fromString(String(value.getTime()));
  if (typeof value === 'string') {
    try {
      return Decimal128.fromString(value);
    } catch {
      throw unparsable(value, 'decimal');
    }
  }
  if (!isNumeric(value)) throw unsupported(value, 'decimal');
  return value instanceof Decimal128 ? value : formatDecimal(decimalOf(value));
}

function toDate(value: unknown): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  if (typeof value === 'string') {
    const date = new Date(value);
    if (Number.isNaN(date.getTime())) throw failure('ConversionFailure', `Error parsing date string '${value}'`);
    return date;
  }
  if (!isNumeric(value) || (typeof value === 'number' && isInt32(value))) throw unsupported(value, 'date');
  return new Date(Math.trunc(toDouble(value)));
}

function toObjectId(value: unknown): ObjectId {
  if (value instanceof ObjectId) return value;
  if (typeof value === 'string' && /^[0-9a-f]{24}$/i.test(value)) return ObjectId.createFromHexString(value);
  throw typeof value === 'string'
    ? failure('ConversionFailure', `Failed to parse objectId '${value}'`)
    : unsupported(value, 'objectId');
}

const nullable = (convert: (value: unknown) => unknown): Operator => ({
  min: 1,
  max: 1,
  run: ([value]) => (isNullish(value) ? null : convert(value)),
});

/** Conversions of a value that is not null, by the name of the type. */
export const converters: ReadonlyMap<string, (value: unknown) => unknown> = new Map<string, (value: unknown) => unknown>([
  ['string', toText],
  ['int', toInt],
  ['long', toLong],
  ['double', toFloat],
  ['decimal', toDecimal],
  ['date', toDate],
  ['bool', (value) => (isNumeric(value) ? truthy(value) : value !== false)],
  ['objectId', toObjectId],
]);

/** `$toString`, `$toInt` and so on. */
export const conversionOperators: ReadonlyArray<[string, Operator]> = [...converters].map(([type, convert]) => [
  `$to${type.charAt(0).toUpperCase()}${type.slice(1)}`,
  nullable(convert),
]);
