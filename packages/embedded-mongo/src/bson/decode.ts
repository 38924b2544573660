import { Binary, BSONRegExp, Code, Decimal128, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { failure } from '../errors.ts';
import { fieldName } from './field-names.ts';
import { asDouble, bsonUndefined, DbPointer, type Doc, RawDocument } from './types.ts';

/** How deep documents may nest, as on the server. */
const depthMax = 180;

const invalid = (why: string) => failure('InvalidBSON', `invalid BSON: ${why}`);

/** Which top-level fields of a command stay bytes: arrays of documents that are stored or forwarded as they came. */
export type RawFields = ReadonlySet<string>;

const noRawFields: RawFields = new Set();

/** Reads one document; the bytes must be exactly it. Refuses malformed input with InvalidBSON. */
export function decodeDocument(bytes: Uint8Array, rawFields: RawFields = noRawFields): Doc {
  const buffer = asBuffer(bytes);
  const reader = new Reader(buffer);
  if (reader.documentEnd(0) !== buffer.length) throw invalid('length differs from the size of the document');
  return reader.document(0, 0, rawFields);
}

/** Reads only these fields of a stored document's first level. */
export function decodeFields(bytes: Uint8Array, names: ReadonlySet<string>): Doc {
  return openDocument(bytes, names).fields;
}

/**
 * Some fields of a stored document's first level, read, and all as they follow each other: a name of those read, or where others
 * lie in the bytes.
 */
export type OpenDocument = { fields: Doc; pieces: Piece[] };
export type Piece = string | { start: number; end: number };

/** Reads these fields of a stored document's first level and notes where the others are. */
export function openDocument(bytes: Uint8Array, names: ReadonlySet<string>): OpenDocument {
  const buffer = asBuffer(bytes);
  const reader = new Reader(buffer);
  const end = reader.documentEnd(0) - 1;
  const fields: Doc = {};
  const pieces: Piece[] = [];
  let unread: { start: number; end: number } | undefined;
  for (let at = 4; at < end; ) {
    const type = buffer[at] ?? 0;
    const nameEnd = reader.nameEnd(at + 1);
    const name = fieldName(buffer, at + 1, nameEnd);
    const next = reader.valueEnd(type, nameEnd + 1, end);
    if (names.has(name)) {
      if (!Object.hasOwn(fields, name)) pieces.push(name);
      setOwn(fields, name, reader.value(type, nameEnd + 1, 1));
      unread = undefined;
    } else if (unread) unread.end = next;
    else {
      unread = { start: at, end: next };
      pieces.push(unread);
    }
    at = next;
  }
  return { fields, pieces };
}

/** Walks a whole document without building it; refuses malformed input with InvalidBSON. */
export function validateDocument(bytes: Uint8Array): void {
  const buffer = asBuffer(bytes);
  const reader = new Reader(buffer);
  if (reader.documentEnd(0) !== buffer.length) throw invalid('length differs from the size of the document');
  reader.validate(0, 0);
}

/** One element of a document as it lies in its bytes. */
export type Element = { type: number; name: string; start: number; valueStart: number; end: number };

/** The elements of a document's first level, unread. */
export function* elements(bytes: Uint8Array): Generator<Element> {
  const reader = new Reader(asBuffer(bytes));
  const end = reader.documentEnd(0) - 1;
  let at = 4;
  while (at < end) {
    const start = at;
    const type = reader.buffer[at] ?? 0;
    const nameEnd = reader.nameEnd(at + 1);
    const valueStart = nameEnd + 1;
    const valueEnd = reader.valueEnd(type, valueStart, end);
    yield { type, name: reader.buffer.toString('utf8', at + 1, nameEnd), start, valueStart, end: valueEnd };
    at = valueEnd;
  }
}

/** The value of one element. */
export function elementValue(bytes: Uint8Array, element: Element): unknown {
  return new Reader(asBuffer(bytes)).value(element.type, element.valueStart, 1);
}

/** The `_id` of a stored document, whose first field it always is. */
export function decodeFirstField(bytes: Uint8Array): unknown {
  const reader = new Reader(asBuffer(bytes));
  return reader.value(reader.buffer[4] ?? 0, reader.nameEnd(5) + 1, 1);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function setOwn(doc: Doc, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(doc, name, { value, enumerable: true, writable: true, configurable: true });
  else doc[name] = value;
}

class Reader {
  readonly buffer: Buffer;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  documentEnd(at: number): number {
    const { buffer } = this;
    if (at + 5 > buffer.length) throw invalid('truncated document');
    const end = at + buffer.readInt32LE(at);
    if (end < at + 5 || end > buffer.length || buffer[end - 1] !== 0) throw invalid('bad document length');
    return end;
  }

  nameEnd(at: number): number {
    const { buffer } = this;
    // Names are short: a loop is done before a search has begun.
    for (let end = at; end < buffer.length; end++) if (buffer[end] === 0) return end;
    throw invalid('unterminated field name');
  }

  document(at: number, depth: number, rawFields: RawFields): Doc {
    const { buffer } = this;
    if (depth > depthMax) throw failure('Overflow', 'BSONObj exceeds maximum nested object depth: 200');
    const end = this.documentEnd(at) - 1;
    const doc: Doc = {};
    let cursor = at + 4;
    while (cursor < end) {
      const type = buffer[cursor] ?? 0;
      const nameEnd = this.nameEnd(cursor + 1);
      const name = fieldName(buffer, cursor + 1, nameEnd);
      const next = this.valueEnd(type, nameEnd + 1, end);
      const raw = depth === 0 && type === 4 && rawFields.has(name);
      const value = raw ? this.rawArray(nameEnd + 1) : this.value(type, nameEnd + 1, depth + 1);
      setOwn(doc, name, value);
      cursor = next;
    }
    return doc;
  }

  array(at: number, depth: number): unknown[] {
    if (depth > depthMax) throw failure('Overflow', 'BSONObj exceeds maximum nested object depth: 200');
    const end = this.documentEnd(at) - 1;
    const values: unknown[] = [];
    let cursor = at + 4;
    while (cursor < end) {
      const type = this.buffer[cursor] ?? 0;
      const valueStart = this.nameEnd(cursor + 1) + 1;
      const next = this.valueEnd(type, valueStart, end);
      values.push(this.value(type, valueStart, depth + 1));
      cursor = next;
    }
    return values;
  }

  rawArray(at: number): unknown[] {
    const end = this.documentEnd(at) - 1;
    const values: unknown[] = [];
    let cursor = at + 4;
    while (cursor < end) {
      const type = this.buffer[cursor] ?? 0;
      const valueStart = this.nameEnd(cursor + 1) + 1;
      const next = this.valueEnd(type, valueStart, end);
      values.push(type === 3 ? new RawDocument(this.buffer.subarray(valueStart, next)) : this.value(type, valueStart, 1));
      cursor = next;
    }
    return values;
  }

  validate(at: number, depth: number): void {
    if (depth > depthMax) throw failure('Overflow', 'BSONObj exceeds maximum nested object depth: 200');
    const end = this.documentEnd(at) - 1;
    let cursor = at + 4;
    while (cursor < end) {
      const type = this.buffer[cursor] ?? 0;
      const valueStart = this.nameEnd(cursor + 1) + 1;
      const next = this.valueEnd(type, valueStart, end);
      if (type === 3 || type === 4) this.validate(valueStart, depth + 1);
      cursor = next;
    }
    if (cursor !== end) throw invalid('element runs past its document');
  }

  /** Where a value ends; refuses one that would run past its document. */
  valueEnd(type: number, at: number, limit: number): number {
    const end = at + this.valueLength(type, at, limit);
    if (end > limit) throw invalid('element runs past its document');
    return end;
  }

  private valueLength(type: number, at: number, limit: number): number {
    switch (type) {
      case 1:
      case 9:
      case 17:
      case 18:
        return 8;
      case 2:
      case 13:
      case 14:
        return 4 + this.stringLength(at, limit);
      case 3:
      case 4:
        return this.documentEnd(at) - at;
      case 5:
        return 5 + this.length(at, limit);
      case 6:
      case 10:
      case 255:
      case 127:
        return 0;
      case 7:
        return 12;
      case 8:
        return 1;
      case 11:
        return this.nameEnd(this.nameEnd(at) + 1) + 1 - at;
      case 12:
        return 4 + this.stringLength(at, limit) + 12;
      case 15:
        return this.length(at, limit);
      case 16:
        return 4;
      case 19:
        return 16;
      default:
        throw invalid(`unknown type ${type}`);
    }
  }

  private length(at: number, limit: number): number {
    if (at + 4 > limit) throw invalid('truncated length');
    const length = this.buffer.readInt32LE(at);
    if (length < 0 || at + 4 + length > limit + 4) throw invalid('bad length');
    return length;
  }

  private stringLength(at: number, limit: number): number {
    const length = this.length(at, limit);
    if (length < 1 || this.buffer[at + 3 + length] !== 0) throw invalid('bad string');
    return length;
  }

  value(type: number, at: number, depth: number): unknown {
    const { buffer } = this;
    switch (type) {
      case 1:
        return asDouble(buffer.readDoubleLE(at));
      case 2:
      case 14:
        return buffer.toString('utf8', at + 4, at + 3 + buffer.readInt32LE(at));
      case 3:
        return this.document(at, depth, noRawFields);
      case 4:
        return this.array(at, depth);
      case 5:
        return this.binary(at);
      case 6:
        return bsonUndefined;
      case 7:
        return new ObjectId(Uint8Array.prototype.slice.call(buffer, at, at + 12));
      case 8:
        return buffer[at] !== 0;
      case 9:
        return new Date(buffer.readInt32LE(at + 4) * 2 ** 32 + buffer.readUInt32LE(at));
      case 10:
        return null;
      case 11: {
        const patternEnd = this.nameEnd(at);
        const flagsEnd = this.nameEnd(patternEnd + 1);
        return new BSONRegExp(buffer.toString('utf8', at, patternEnd), buffer.toString('utf8', patternEnd + 1, flagsEnd));
      }
      case 12: {
        const idAt = at + 4 + buffer.readInt32LE(at);
        const id = new ObjectId(Uint8Array.prototype.slice.call(buffer, idAt, idAt + 12));
        return new DbPointer(buffer.toString('utf8', at + 4, idAt - 1), id);
      }
      case 13:
        return new Code(buffer.toString('utf8', at + 4, at + 3 + buffer.readInt32LE(at)));
      case 15: {
        const codeLength = buffer.readInt32LE(at + 4);
        const scope = this.document(at + 8 + codeLength, depth, noRawFields);
        return new Code(buffer.toString('utf8', at + 8, at + 7 + codeLength), scope);
      }
      case 16:
        return buffer.readInt32LE(at);
      case 17:
        return new Timestamp({ i: buffer.readUInt32LE(at), t: buffer.readUInt32LE(at + 4) });
      case 18:
        return buffer.readBigInt64LE(at);
      case 19:
        return new Decimal128(Uint8Array.prototype.slice.call(buffer, at, at + 16));
      case 255:
        return new MinKey();
      case 127:
        return new MaxKey();
      default:
        throw invalid(`unknown type ${type}`);
    }
  }

  private binary(at: number): Binary {
    const length = this.buffer.readInt32LE(at);
    return new Binary(Uint8Array.prototype.slice.call(this.buffer, at + 5, at + 5 + length), this.buffer[at + 4]);
  }
}
