import { bsonUndefined, type Doc, isDoc } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { isPosition } from '../query/path.ts';
import { type Direction, encodeKey } from './index-key.ts';

/** The entries of one document in one index. */
export type Entries = {
  keys: Buffer[];
  /** The values behind each key, in the order of the index's fields. */
  rows: ReadonlyArray<readonly unknown[]>;
  /** Per field of the index, the prefixes of its path under which an array was gone through. */
  arrayPaths: ReadonlyArray<readonly string[]> | undefined;
};

export type IndexedField = { path: string; parts: readonly string[]; direction: Direction };

/** Computes the keys of a document: one, or one for each element where an indexed path meets an array. */
export function indexEntries(doc: Doc, fields: readonly IndexedField[]): Entries {
  const directions = fields.map((field) => field.direction);
  const simple = plainRow(doc, fields);
  if (simple) return { keys: [encodeKey(simple, directions)], rows: [simple], arrayPaths: undefined };
  const { rows, arrayPaths } = expandedRows(doc, fields);
  const distinct = new Map<string, { key: Buffer; row: readonly unknown[] }>();
  for (const row of rows) {
    const key = encodeKey(row, directions);
    distinct.set(key.toString('latin1'), { key, row });
  }
  const entries = [...distinct.values()];
  return { keys: entries.map((entry) => entry.key), rows: entries.map((entry) => entry.row), arrayPaths };
}

/** A field's path; also one of a sort, which goes by the keys an index on it would have. */
type Path = { parts: readonly string[] };

/** The values at these paths; undefined where one of them meets an array. */
export function plainRow(doc: Doc, fields: readonly Path[]): unknown[] | undefined {
  const row: unknown[] = [];
  for (const { parts } of fields) {
    const value = plainValue(doc, parts);
    if (value === arrayMet) return undefined;
    row.push(value);
  }
  return row;
}

/** Stands for a value that can't be told because an array lies on its path. */
export const arrayMet = Symbol('array');

/** The value at a path that meets no array; `arrayMet` where it does. */
export function plainValue(doc: Doc, parts: readonly string[]): unknown {
  let value: unknown = doc;
  for (const part of parts) {
    if (Array.isArray(value)) return arrayMet;
    if (!isDoc(value)) return undefined;
    value = Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return Array.isArray(value) ? arrayMet : value;
}

/**
 * The values at these paths with arrays taken apart: a row for each element of the one array they go through, perhaps several
 * times the same.
 */
export function expandedRows(doc: Doc, fields: readonly Path[]): { rows: unknown[][]; arrayPaths: string[][] } {
  const expansion: Expansion = { fields, rows: [], arrayPaths: fields.map(() => new Set()) };
  const cursors = fields.map(({ parts }): Cursor => ({ value: undefined, rest: parts, positioned: undefined }));
  expand(expansion, doc, cursors);
  return { rows: expansion.rows, arrayPaths: expansion.arrayPaths.map((paths) => [...paths]) };
}

type Expansion = { fields: readonly Path[]; rows: unknown[][]; arrayPaths: Array<Set<string>> };

/** How far one path has been followed: to a value if there is no rest. */
type Cursor = {
  value: unknown;
  rest: readonly string[];
  /** The element that the rest names by its position in the array being gone through, and what was reached from there. */
  positioned: { element: unknown; reached: Reached } | undefined;
};

/** What a path leads to without going through an array: a value, or an array and what is left of the path. */
type Reached = { value: unknown; rest: readonly string[] };

/** Follows all paths from an object, or from the positions noted in the cursors; goes through the array that they meet. */
function expand(expansion: Expansion, from: Doc, cursors: readonly Cursor[]): void {
  const { fields, arrayPaths } = expansion;
  let array: unknown[] | undefined;
  let met = 0;
  // An array that is an element of another is one value where the path ends with a position.
  let takenApart = true;
  const next = cursors.map((cursor, field): Cursor & { atArray: boolean } => {
    if (cursor.rest.length === 0) return { ...cursor, atArray: false };
    const { value, rest } = step(from, cursor);
    if (!Array.isArray(value)) return { value, rest: [], positioned: undefined, atArray: false };
    if (array && array !== value) throw parallelArrays(fields[field], fields[met]);
    array = value;
    met = field;
    if (Array.isArray(cursor.positioned?.element)) takenApart = false;
    return { value, rest, positioned: undefined, atArray: true };
  });
  if (!array) {
    expansion.rows.push(next.map(({ value }) => value));
    return;
  }
  const empty = array.length === 0;
  for (const [field, cursor] of next.entries()) {
    if (!cursor.atArray) continue;
    cursor.positioned = positionIn(array, cursor.rest);
    if (cursor.rest.length === 0 ? takenApart : !cursor.positioned) {
      const { parts } = fields[field] ?? { parts: [] };
      arrayPaths[field]?.add(parts.slice(0, parts.length - cursor.rest.length).join('.'));
    }
  }
  // An empty array is BSON's undefined where the path ends, and missing below.
  for (const item of empty ? [bsonUndefined] : array) {
    const value = takenApart || empty ? item : array;
    expand(
      expansion,
      isDoc(item) ? item : {},
      next.map((cursor) => (cursor.atArray && cursor.rest.length === 0 ? { ...cursor, value } : cursor)),
    );
  }
}

/** Where a path leads from an object; where a position was noted, from there. Refuses paths that could mean either. */
function step(from: Doc, { rest, positioned }: Cursor): Reached {
  const [part = ''] = rest;
  if (!Object.hasOwn(from, part)) return positioned?.reached ?? { value: undefined, rest: [] };
  if (!positioned) return reach(from, rest);
  throw location(
    16746,
    `Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), field: '${part}'`,
  );
}

function reach(from: Doc, parts: readonly string[]): Reached {
  let value: unknown = from;
  for (const [at, part] of parts.entries()) {
    if (Array.isArray(value)) return { value, rest: parts.slice(at) };
    value = isDoc(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return { value, rest: [] };
}

function positionIn(array: readonly unknown[], rest: readonly string[]): Cursor['positioned'] {
  const [part, ...further] = rest;
  if (part === undefined || !isPosition(part) || Number(part) >= array.length) return undefined;
  const element = array[Number(part)];
  if (further.length === 0) return { element, reached: { value: element, rest: [] } };
  if (Array.isArray(element)) return { element, reached: { value: element, rest: further } };
  return { element, reached: isDoc(element) ? reach(element, further) : { value: undefined, rest: [] } };
}

const parallelArrays = (one: Path | undefined, other: Path | undefined) =>
  failure('CannotIndexParallelArrays', `cannot index parallel arrays [${one?.parts.at(-1)}] [${other?.parts.at(-1)}]`);
