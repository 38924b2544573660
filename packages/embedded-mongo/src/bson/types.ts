import { Binary, BSONRegExp, Code, Decimal128, Double, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';

/**
 * Documents in memory. Every BSON type has one form, so that writing a value back yields its own bytes:
 * Int32 is a `number` that is an integer of 32 bits, Int64 a `bigint`, Double any other `number` or, where the value
 * is such an integer, a `Double`. The rest are the classes of `bson`, `Date`, arrays and plain objects.
 */
export type Doc = { [field: string]: unknown };

/** The position of a value's type in BSON's order across types; also the first byte of its index key. */
export const typeRank = {
  minKey: 1,
  undefined: 3,
  null: 5,
  number: 10,
  string: 15,
  object: 20,
  array: 25,
  binary: 30,
  objectId: 35,
  bool: 40,
  date: 45,
  timestamp: 47,
  regex: 50,
  dbPointer: 55,
  code: 60,
  codeWithScope: 65,
  maxKey: 127,
} as const;

/** Stands for BSON's deprecated `undefined`, which JavaScript's own would confuse with a missing field. */
export const bsonUndefined = Symbol('bson undefined');

/** Bytes of a whole document that are copied as they are when encoded. */
export class RawDocument {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** BSON's deprecated pointer to a document of a collection. The driver reads it as a `DBRef`; here it keeps its own bytes. */
export class DbPointer {
  readonly namespace: string;
  readonly id: ObjectId;

  constructor(namespace: string, id: ObjectId) {
    this.namespace = namespace;
    this.id = id;
  }
}

export function isDoc(value: unknown): value is Doc {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

export type Numeric = number | bigint | Double | Decimal128;

export function isNumeric(value: unknown): value is Numeric {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Double || value instanceof Decimal128;
}

export function isNullish(value: unknown): value is null | undefined | typeof bsonUndefined {
  return value === null || value === undefined || value === bsonUndefined;
}

/** The rank of a value's type; a missing field ranks as null. */
export function rankOf(value: unknown): number {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return typeRank.number;
    case 'string':
      return typeRank.string;
    case 'boolean':
      return typeRank.bool;
    case 'undefined':
      return typeRank.null;
    case 'symbol':
      return typeRank.undefined;
    default:
      return value === null ? typeRank.null : rankOfObject(value);
  }
}

function rankOfObject(value: unknown): number {
  if (Array.isArray(value)) return typeRank.array;
  if (value instanceof Date) return typeRank.date;
  if (isDoc(value)) return typeRank.object;
  if (value instanceof ObjectId) return typeRank.objectId;
  if (value instanceof Double || value instanceof Decimal128) return typeRank.number;
  if (value instanceof Binary) return typeRank.binary;
  if (value instanceof Timestamp) return typeRank.timestamp;
  if (value instanceof BSONRegExp) return typeRank.regex;
  if (value instanceof Code) return value.scope ? typeRank.codeWithScope : typeRank.code;
  if (value instanceof DbPointer) return typeRank.dbPointer;
  if (value instanceof MinKey) return typeRank.minKey;
  if (value instanceof MaxKey) return typeRank.maxKey;
  return typeRank.object;
}

const typeNames: Record<string, number> = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
};
const namesByNumber = new Map(Object.entries(typeNames).map(([name, number]) => [number, name]));

/** The number BSON gives to a type that `$type` names, or undefined. */
export function typeNumber(name: string): number | undefined {
  return Object.hasOwn(typeNames, name) ? typeNames[name] : undefined;
}

export function isTypeNumber(number: number): boolean {
  return namesByNumber.has(number);
}

/** The number BSON gives to the type of a value; 0 for a missing one. */
export function typeNumberOf(value: unknown): number {
  if (typeof value === 'number') return isInt32(value) ? 16 : 1;
  switch (rankOf(value)) {
    case typeRank.number:
      return typeof value === 'bigint' ? 18 : value instanceof Double ? 1 : 19;
    case typeRank.null:
      return value === undefined ? 0 : 10;
    case typeRank.undefined:
      return 6;
    case typeRank.string:
      return 2;
    case typeRank.object:
      return 3;
    case typeRank.array:
      return 4;
    case typeRank.binary:
      return 5;
    case typeRank.objectId:
      return 7;
    case typeRank.bool:
      return 8;
    case typeRank.date:
      return 9;
    case typeRank.regex:
      return 11;
    case typeRank.dbPointer:
      return 12;
    case typeRank.code:
      return 13;
    case typeRank.codeWithScope:
      return 15;
    case typeRank.timestamp:
      return 17;
    case typeRank.minKey:
      return -1;
    default:
      return 127;
  }
}

/** The name `$type` and error messages give to a value's type. */
export function typeNameOf(value: unknown): string {
  return value === undefined ? 'missing' : (namesByNumber.get(typeNumberOf(value)) ?? 'object');
}

/** Whether a JavaScript number stands for a BSON Int32. Minus zero is a Double. */
export function isInt32(value: number): boolean {
  return (value | 0) === value && !Object.is(value, -0);
}

/** A JavaScript number as a BSON Double, also where it could be an Int32. */
export function asDouble(value: number): number | Double {
  return isInt32(value) ? new Double(value) : value;
}
