import { Binary, BSONRegExp, Code, Decimal128, Double, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { failure } from '../errors.ts';
import type { Piece } from './decode.ts';
import { bsonUndefined, DbPointer, type Doc, isInt32, RawDocument } from './types.ts';

/** A buffer shared by all encodings: they are synchronous, and each result is copied out of it. */
let scratch = Buffer.allocUnsafe(64 * 1024);
/** Beyond this the shared buffer is given back after use, so that one large document does not stay in memory. */
const scratchKeptBytes = 1024 * 1024;
let at = 0;

/** The bytes of a document, after so many that the caller fills in; fields whose value is undefined are left out. */
export function encodeDocument(doc: Doc, prefixBytes = 0): Buffer {
  at = prefixBytes;
  writeDocument(doc);
  return written();
}

/**
 * The bytes of a stored document of which some fields were read and may have changed: these are written in their places, new ones
 * at the end.
 */
export function encodeOpened(bytes: Uint8Array, pieces: readonly Piece[], fields: Doc): Buffer {
  at = 4;
  for (const piece of pieces) {
    if (typeof piece !== 'string') writeBytes(bytes.subarray(piece.start, piece.end));
    else if (Object.hasOwn(fields, piece)) writeField(piece, fields[piece]);
  }
  for (const name in fields) if (!pieces.includes(name)) writeField(name, fields[name]);
  endDocument(0);
  return written();
}

function written(): Buffer {
  const bytes = Buffer.allocUnsafe(at);
  scratch.copy(bytes, 0, 0, at);
  if (scratch.length > scratchKeptBytes) scratch = Buffer.allocUnsafe(64 * 1024);
  return bytes;
}

function reserve(bytes: number): void {
  if (at + bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafe(Math.max(scratch.length * 2, at + bytes));
  scratch.copy(larger, 0, 0, at);
  scratch = larger;
}

function writeDocument(doc: Doc): void {
  const start = at;
  reserve(5);
  at += 4;
  for (const name in doc) writeField(name, doc[name]);
  endDocument(start);
}

function writeField(name: string, value: unknown): void {
  if (value !== undefined) writeElement(name, value);
}

function endDocument(start: number): void {
  reserve(1);
  scratch[at++] = 0;
  scratch.writeInt32LE(at - start, start);
}

function writeArray(values: readonly unknown[]): void {
  const start = at;
  reserve(5);
  at += 4;
  for (let index = 0; index < values.length; index++) writeElement(String(index), values[index] ?? null);
  endDocument(start);
}

function writeElement(name: string, value: unknown): void {
  reserve(name.length * 3 + 2 + 24);
  const typeAt = at++;
  writeName(name);
  const type = writeValue(value);
  // Only now: the value may have moved everything to a larger buffer.
  scratch[typeAt] = type;
}

function writeName(name: string): void {
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index);
    if (code > 127) {
      at += scratch.write(name.slice(index), at, 'utf8');
      break;
    }
    if (code === 0) throw failure('BadValue', 'field names cannot contain null bytes');
    scratch[at++] = code;
  }
  scratch[at++] = 0;
}

function writeString(text: string): void {
  const bytes = Buffer.byteLength(text);
  reserve(bytes + 5);
  at = scratch.writeInt32LE(bytes + 1, at);
  at += scratch.write(text, at, 'utf8');
  scratch[at++] = 0;
}

function writeBytes(bytes: Uint8Array): void {
  reserve(bytes.length);
  scratch.set(bytes, at);
  at += bytes.length;
}

/** Writes a value and returns its type; 24 bytes are reserved by the caller. */
function writeValue(value: unknown): number {
  switch (typeof value) {
    case 'number':
      if (isInt32(value)) {
        at = scratch.writeInt32LE(value, at);
        return 16;
      }
      at = scratch.writeDoubleLE(value, at);
      return 1;
    case 'string':
      writeString(value);
      return 2;
    case 'boolean':
      scratch[at++] = value ? 1 : 0;
      return 8;
    case 'bigint':
      at = scratch.writeBigInt64LE(value, at);
      return 18;
    case 'symbol':
      return value === bsonUndefined ? 6 : 10;
    default:
      return value === null || value === undefined ? 10 : writeObject(value);
  }
}

function writeObject(value: object): number {
  if (Array.isArray(value)) {
    writeArray(value);
    return 4;
  }
  if (value instanceof RawDocument) {
    writeBytes(value.bytes);
    return 3;
  }
  if (value instanceof Date) {
    at = scratch.writeBigInt64LE(BigInt(value.getTime()), at);
    return 9;
  }
  if (value instanceof ObjectId) {
    writeBytes(value.id);
    return 7;
  }
  if (value instanceof Double) {
    at = scratch.writeDoubleLE(value.value, at);
    return 1;
  }
  if (value instanceof Decimal128) {
    writeBytes(value.bytes);
    return 19;
  }
  if (value instanceof Binary) {
    const bytes = value.buffer.subarray(0, value.position);
    at = scratch.writeInt32LE(bytes.length, at);
    scratch[at++] = value.sub_type;
    writeBytes(bytes);
    return 5;
  }
  if (value instanceof Timestamp) {
    at = scratch.writeUInt32LE(value.i, at);
    at = scratch.writeUInt32LE(value.t, at);
    return 17;
  }
  if (value instanceof BSONRegExp) {
    reserve(value.pattern.length * 3 + value.options.length + 2);
    writeName(value.pattern);
    writeName(value.options);
    return 11;
  }
  if (value instanceof Code) return writeCode(value);
  if (value instanceof DbPointer) {
    writeString(value.namespace);
    writeBytes(value.id.id);
    return 12;
  }
  if (value instanceof MinKey) return 255;
  if (value instanceof MaxKey) return 127;
  writeDocument(value as Doc);
  return 3;
}

function writeCode(code: Code): number {
  if (!code.scope) {
    writeString(code.code);
    return 13;
  }
  const start = at;
  at += 4;
  writeString(code.code);
  writeDocument(code.scope);
  scratch.writeInt32LE(at - start, start);
  return 15;
}
