import { type Binary, type BSONRegExp, type Code, type Decimal128, Double, type ObjectId, type Timestamp } from 'bson';
import { compareDecimals, exactDecimalOf, parseDecimal } from '../bson/decimal.ts';
import { type DbPointer, type Doc, type Numeric, rankOf, typeRank } from '../bson/types.ts';

/**
 * Index keys are bytes whose order is BSON's order of the values. Each component is: the rank of its type, then a payload
 * of which none is the beginning of another, so components can be concatenated; a descending one has all bits inverted.
 * No component begins with 0x00 or 0xff, so `key + 0xff` is above everything that begins with `key`.
 */
export type Direction = 1 | -1;

/** Sorts above every continuation of the key it is appended to. */
export const above = Buffer.from([0xff]);

let scratch = Buffer.allocUnsafe(4096);
let at = 0;

/** The key of one entry: its values in the order and direction of the index. */
export function encodeKey(values: readonly unknown[], directions: readonly Direction[]): Buffer {
  at = 0;
  for (let index = 0; index < values.length; index++) {
    const start = at;
    writeComponent(values[index]);
    if (directions[index] === -1) invert(start, at);
  }
  return written();
}

/** The key of a single value; that of the `_id` index. */
export function encodeValue(value: unknown, direction: Direction = 1): Buffer {
  at = 0;
  writeComponent(value);
  if (direction === -1) invert(0, at);
  return written();
}

function written(): Buffer {
  const key = Buffer.allocUnsafe(at);
  scratch.copy(key, 0, 0, at);
  return key;
}

function invert(start: number, end: number): void {
  for (let index = start; index < end; index++) scratch[index] = ~(scratch[index] ?? 0);
}

function reserve(bytes: number): void {
  if (at + bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafe(Math.max(scratch.length * 2, at + bytes));
  scratch.copy(larger, 0, 0, at);
  scratch = larger;
}

function writeComponent(value: unknown): void {
  const rank = rankOf(value);
  reserve(16);
  scratch[at++] = rank;
  writePayload(rank, value);
}

function writePayload(rank: number, value: unknown): void {
  switch (rank) {
    case typeRank.number:
      writeNumber(value as Numeric);
      return;
    case typeRank.string:
      writeText(value as string);
      return;
    case typeRank.object:
      writeDoc(value as Doc);
      return;
    case typeRank.array:
      for (const item of value as unknown[]) writeComponent(item);
      writeByte(0);
      return;
    case typeRank.binary:
      writeBinary(value as Binary);
      return;
    case typeRank.objectId:
      writeBytes((value as ObjectId).id);
      return;
    case typeRank.bool:
      writeByte(value ? 2 : 1);
      return;
    case typeRank.date:
      writeUnsigned(BigInt((value as Date).getTime()) + (1n << 63n));
      return;
    case typeRank.timestamp:
      writeUnsigned((BigInt((value as Timestamp).t) << 32n) | BigInt((value as Timestamp).i));
      return;
    case typeRank.regex:
      writeText((value as BSONRegExp).pattern);
      writeText((value as BSONRegExp).options);
      return;
    case typeRank.dbPointer:
      writeDbPointer(value as DbPointer);
      return;
    case typeRank.code:
    case typeRank.codeWithScope:
      writeText((value as Code).code);
      if (rank === typeRank.codeWithScope) writeDoc((value as Code).scope ?? {});
      return;
    default:
  }
}

function writeByte(byte: number): void {
  reserve(1);
  scratch[at++] = byte;
}

function writeUnsigned(value: bigint): void {
  reserve(8);
  at = scratch.writeBigUInt64BE(value, at);
}

function writeBytes(bytes: Uint8Array): void {
  reserve(bytes.length);
  scratch.set(bytes, at);
  at += bytes.length;
}

/** UTF-8 closed by 00 00; a zero byte inside becomes 00 ff, which sorts above the end. */
function writeText(text: string): void {
  reserve(text.length * 3 + 2);
  const start = at;
  at += scratch.write(text, at, 'utf8');
  if (scratch.subarray(start, at).includes(0)) {
    const bytes = Buffer.from(scratch.subarray(start, at));
    reserve(bytes.length * 2 + 2);
    at = start;
    for (const byte of bytes) {
      scratch[at++] = byte;
      if (byte === 0) scratch[at++] = 0xff;
    }
  }
  scratch[at++] = 0;
  scratch[at++] = 0;
}

function writeDoc(doc: Doc): void {
  for (const name of Object.keys(doc)) {
    const value = doc[name];
    const rank = rankOf(value);
    writeByte(rank);
    writeText(name);
    writePayload(rank, value);
  }
  writeByte(0);
}

function writeDbPointer({ namespace, id }: DbPointer): void {
  const name = Buffer.from(namespace);
  reserve(4);
  at = scratch.writeUInt32BE(name.length, at);
  writeBytes(name);
  writeBytes(id.id);
}

function writeBinary(value: Binary): void {
  const bytes = value.buffer.subarray(0, value.position);
  reserve(5);
  at = scratch.writeUInt32BE(bytes.length, at);
  scratch[at++] = value.sub_type;
  writeBytes(bytes);
}

/**
 * A number is the largest double that is not above it, then what is left: nothing for doubles and all integers up to
 * 2^53, else the exact decimal difference. So Int64 and Decimal128 keep an exact order among doubles.
 */
function writeNumber(value: Numeric): void {
  if (typeof value === 'number') {
    writeExactDouble(value);
    return;
  }
  if (value instanceof Double) {
    writeExactDouble(value.value);
    return;
  }
  if (typeof value === 'bigint') {
    const near = Number(value);
    if (Number.isSafeInteger(near)) {
      writeExactDouble(near);
      return;
    }
    const floor = BigInt(near) > value ? previousDouble(near) : near;
    writeWithRest(floor, { coefficient: value - BigInt(floor), exponent: 0 });
    return;
  }
  writeDecimal(value);
  return;
}

function writeDecimal(value: Decimal128): void {
  const decimal = parseDecimal(value);
  if (typeof decimal === 'string') {
    writeExactDouble(Number(decimal));
    return;
  }
  const near = Number(`${decimal.coefficient}E${decimal.exponent}`);
  // Decimals below the range of doubles are measured from a point below all of them.
  if (near === Number.NEGATIVE_INFINITY) {
    writeWithRest(near, sum(decimal, { coefficient: 1n, exponent: 6200 }));
    return;
  }
  const tooHigh = near === Number.POSITIVE_INFINITY || compareDecimals(exactDecimalOf(near), decimal) > 0;
  const floor = tooHigh ? previousDouble(near) : near;
  const below = exactDecimalOf(floor);
  writeWithRest(floor, sum(decimal, { coefficient: -below.coefficient, exponent: below.exponent }));
  return;
}

type Finite = { coefficient: bigint; exponent: number };

function sum(a: Finite, b: Finite): Finite {
  const exponent = Math.min(a.exponent, b.exponent);
  return {
    coefficient: a.coefficient * 10n ** BigInt(a.exponent - exponent) + b.coefficient * 10n ** BigInt(b.exponent - exponent),
    exponent,
  };
}

function writeExactDouble(value: number): void {
  writeDouble(value);
  writeByte(0);
}

function writeWithRest(floor: number, rest: Finite): void {
  if (rest.coefficient === 0n) {
    writeExactDouble(floor);
    return;
  }
  writeDouble(floor);
  const digits = rest.coefficient.toString();
  reserve(digits.length + 4);
  scratch[at++] = 1;
  at = scratch.writeUInt16BE(digits.length - 1 + rest.exponent + 20_000, at);
  for (const digit of digits.replace(/0+$/, '')) scratch[at++] = digit.charCodeAt(0);
  scratch[at++] = 0;
}

/** Eight bytes in the order of doubles; NaN below all. */
function writeDouble(value: number): void {
  reserve(8);
  if (Number.isNaN(value)) {
    scratch.fill(0, at, at + 8);
    at += 8;
    return;
  }
  const start = at;
  // Adding zero turns minus zero into zero, which it equals.
  at = scratch.writeDoubleBE(value + 0, at);
  const first = scratch[start] ?? 0;
  if (first & 0x80) invert(start, at);
  else scratch[start] = first | 0x80;
}

const view = new DataView(new ArrayBuffer(8));

function previousDouble(value: number): number {
  if (value === 0) return -Number.MIN_VALUE;
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? -1n : 1n));
  return view.getFloat64(0);
}
