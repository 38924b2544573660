import { bsonUndefined, type Doc, isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { type Direction, encodeKey } from './index-key.ts';

/** The entries of one document in one index. */
export type Entries = {
  keys: Buffer[];
  /** The values behind each key, in the order of the index's fields. */
  rows: ReadonlyArray<readonly unknown[]>;
  /** Per field of the index, the prefixes of its path under which an array was met. */
  arrayPaths: ReadonlyArray<readonly string[]> | undefined;
  /** Whether every indexed field is missing; a sparse index leaves such a document out. */
  allMissing: boolean;
};

export type IndexedField = { path: string; parts: readonly string[]; direction: Direction };

/** Computes the keys of a document: one, or one for each element where an indexed path meets an array. */
export function indexEntries(doc: Doc, fields: readonly IndexedField[]): Entries {
  const directions = fields.map((field) => field.direction);
  const simple = fields.map((field) => plainValue(doc, field.parts));
  if (!simple.includes(arrayMet)) {
    return {
      keys: [encodeKey(simple, directions)],
      rows: [simple],
      arrayPaths: undefined,
      allMissing: simple.every((value) => value === undefined),
    };
  }
  const rows: unknown[][] = [];
  const arrayPaths = fields.map(() => new Set<string>());
  expand(
    fields.map((field) => ({ source: doc, parts: field.parts, depth: 0 })),
    rows,
    arrayPaths,
    fields,
  );
  const distinct = new Map<string, { key: Buffer; row: unknown[] }>();
  for (const row of rows) {
    const key = encodeKey(row, directions);
    distinct.set(key.toString('latin1'), { key, row });
  }
  const entries = [...distinct.values()];
  return {
    keys: entries.map((entry) => entry.key),
    rows: entries.map((entry) => entry.row),
    arrayPaths: arrayPaths.map((paths) => [...paths]),
    allMissing: rows.every((row) => row.every((value) => value === undefined)),
  };
}

const arrayMet = Symbol('array');

/** The value at a path, or a mark that an array lies on it. */
function plainValue(doc: Doc, parts: readonly string[]): unknown {
  let value: unknown = doc;
  for (const part of parts) {
    if (Array.isArray(value)) return arrayMet;
    if (!isDoc(value)) return undefined;
    value = Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return Array.isArray(value) ? arrayMet : value;
}

type Cursor = { source: unknown; parts: readonly string[]; depth: number };

function expand(cursors: readonly Cursor[], rows: unknown[][], paths: Set<string>[], fields: readonly IndexedField[]): void {
  const row: unknown[] = [];
  let array: unknown[] | undefined;
  let arrayPath = '';
  const reached: Array<{ cursor: Cursor; atArray: boolean }> = [];
  for (const [index, start] of cursors.entries()) {
    const cursor = descend(start);
    const atArray = Array.isArray(cursor.source);
    if (atArray) {
      const path = (fields[index]?.parts ?? []).slice(0, cursor.depth).join('.');
      if (array && array !== cursor.source) {
        throw failure('CannotIndexParallelArrays', `cannot index parallel arrays [${lastPart(path)}] [${lastPart(arrayPath)}]`);
      }
      array = cursor.source as unknown[];
      arrayPath = path;
      paths[index]?.add(path);
    }
    reached.push({ cursor, atArray });
    row.push(cursor.source);
  }
  if (!array) {
    rows.push(row);
    return;
  }
  // An empty array is indexed as BSON's undefined at its own path, and as missing below it.
  const items = array.length > 0 ? array : [bsonUndefined];
  for (const item of items) {
    expand(
      reached.map(({ cursor, atArray }) => {
        if (!atArray) return { source: wrapReached(cursor.source), parts: [], depth: 0 };
        return cursor.parts.length === 0
          ? { source: wrapReached(item), parts: [], depth: 0 }
          : { source: isDoc(item) ? item : undefined, parts: cursor.parts, depth: cursor.depth };
      }),
      rows,
      paths,
      fields,
    );
  }
  for (const values of rows) {
    for (let index = 0; index < values.length; index++) values[index] = unwrapReached(values[index]);
  }
}

/** Marks a value as final, so that an array inside an array is one key and not expanded again. */
class Reached {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

const wrapReached = (value: unknown) => (value instanceof Reached ? value : new Reached(value));
const unwrapReached = (value: unknown) => (value instanceof Reached ? value.value : value);
const lastPart = (path: string) => path.slice(path.lastIndexOf('.') + 1);

/** Follows a path until its end or until an array whose elements it goes through. */
function descend(cursor: Cursor): Cursor {
  let { source, parts, depth } = cursor;
  while (parts.length > 0) {
    const [part = '', ...rest] = parts;
    if (Array.isArray(source)) {
      if (!/^\d+$/.test(part)) return { source, parts, depth };
      source = source[Number(part)];
    } else if (isDoc(source)) {
      source = Object.hasOwn(source, part) ? source[part] : undefined;
    } else {
      source = undefined;
    }
    parts = rest;
    depth++;
  }
  return { source, parts, depth };
}
