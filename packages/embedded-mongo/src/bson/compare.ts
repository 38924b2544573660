import { type Binary, type BSONRegExp, type Code, Decimal128, Double, type ObjectId, type Timestamp } from 'bson';
import { compareDecimals, exactDecimalOf, parseDecimal } from './decimal.ts';
import { type DbPointer, type Doc, type Numeric, rankOf, typeRank } from './types.ts';

/** Compares two values in BSON's order: first by type, then by value. Missing compares as null. */
export function compareValues(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  const rank = rankOf(a);
  const difference = rank - rankOf(b);
  return difference !== 0 ? Math.sign(difference) : compareWithin(rank, a, b);
}

/** Whether two values are equal as a query or a unique index sees them: 1, Long 1 and 1.0 are. */
export function equalValues(a: unknown, b: unknown): boolean {
  return compareValues(a, b) === 0;
}

function compareWithin(rank: number, a: unknown, b: unknown): number {
  switch (rank) {
    case typeRank.number:
      return compareNumbers(a as Numeric, b as Numeric);
    case typeRank.string:
      return compareStrings(String(a), String(b));
    case typeRank.object:
      return compareDocs(a as Doc, b as Doc);
    case typeRank.array:
      return compareArrays(a as unknown[], b as unknown[]);
    case typeRank.binary:
      return compareBinaries(a as Binary, b as Binary);
    case typeRank.objectId:
      return Buffer.compare((a as ObjectId).id, (b as ObjectId).id);
    case typeRank.bool:
      return Number(a) - Number(b);
    case typeRank.date:
      return Math.sign((a as Date).getTime() - (b as Date).getTime());
    case typeRank.timestamp:
      return Math.sign((a as Timestamp).t - (b as Timestamp).t) || Math.sign((a as Timestamp).i - (b as Timestamp).i);
    case typeRank.regex:
      return (
        compareStrings((a as BSONRegExp).pattern, (b as BSONRegExp).pattern) ||
        compareStrings((a as BSONRegExp).options, (b as BSONRegExp).options)
      );
    case typeRank.dbPointer:
      return compareDbPointers(a as DbPointer, b as DbPointer);
    case typeRank.code:
      return compareStrings((a as Code).code, (b as Code).code);
    case typeRank.codeWithScope:
      return compareStrings((a as Code).code, (b as Code).code) || compareDocs((a as Code).scope ?? {}, (b as Code).scope ?? {});
    default:
      return 0;
  }
}

/** Compares numbers of any BSON types exactly; NaN is smaller than every other number and equal to itself. */
export function compareNumbers(a: Numeric, b: Numeric): number {
  if (a instanceof Decimal128 || b instanceof Decimal128) return compareWithDecimal(a, b);
  const left = a instanceof Double ? a.value : a;
  const right = b instanceof Double ? b.value : b;
  if (left < right) return -1;
  if (left > right) return 1;
  const leftNaN = Number.isNaN(left);
  const rightNaN = Number.isNaN(right);
  return leftNaN === rightNaN ? 0 : leftNaN ? -1 : 1;
}

function compareWithDecimal(a: Numeric, b: Numeric): number {
  const left = exact(a);
  const right = exact(b);
  if (typeof left !== 'number' && typeof right !== 'number') return compareDecimals(left, right);
  const leftNumber = typeof left === 'number' ? left : 0;
  const rightNumber = typeof right === 'number' ? right : 0;
  return compareNumbers(leftNumber, rightNumber);
}

function exact(value: Numeric): { coefficient: bigint; exponent: number } | number {
  if (value instanceof Decimal128) {
    const decimal = parseDecimal(value);
    return typeof decimal === 'string' ? Number(decimal) : decimal;
  }
  if (typeof value === 'bigint') return { coefficient: value, exponent: 0 };
  const number = value instanceof Double ? value.value : value;
  return Number.isFinite(number) ? exactDecimalOf(number) : number;
}

/** Compares by UTF-8 bytes, which is by code point and differs from JavaScript's order beyond the basic plane. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    if (left >= 0xd800 && right >= 0xd800) {
      const leftSurrogate = left < 0xe000;
      if (leftSurrogate !== right < 0xe000) return leftSurrogate ? 1 : -1;
    }
    return left < right ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

function compareDocs(a: Doc, b: Doc): number {
  const left = Object.keys(a);
  const right = Object.keys(b);
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const leftName = left[index] ?? '';
    const rightName = right[index] ?? '';
    const leftValue = a[leftName];
    const rightValue = b[rightName];
    const rank = rankOf(leftValue);
    const order =
      Math.sign(rank - rankOf(rightValue)) || compareStrings(leftName, rightName) || compareWithin(rank, leftValue, rightValue);
    if (order !== 0) return order;
  }
  return Math.sign(left.length - right.length);
}

function compareArrays(a: readonly unknown[], b: readonly unknown[]): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const order = compareValues(a[index], b[index]);
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

/** By length, then by bytes. */
function compareDbPointers(a: DbPointer, b: DbPointer): number {
  const length = Buffer.byteLength(a.namespace) - Buffer.byteLength(b.namespace);
  return Math.sign(length) || compareStrings(a.namespace, b.namespace) || Buffer.compare(a.id.id, b.id.id);
}

function compareBinaries(a: Binary, b: Binary): number {
  const left = a.buffer.subarray(0, a.position);
  const right = b.buffer.subarray(0, b.position);
  return Math.sign(left.length - right.length) || Math.sign(a.sub_type - b.sub_type) || Buffer.compare(left, right);
}
