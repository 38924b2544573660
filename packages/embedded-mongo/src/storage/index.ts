import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { equalValues } from '../bson/compare.ts';
import { decodeDocument } from '../bson/decode.ts';
import { type Doc, isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { compileFilter, type Matcher } from '../query/match.ts';
import { rootsOf } from '../query/roots.ts';
import { prepareRows } from './database.ts';
import { type Entries, type IndexedField, indexEntries } from './index-entries.ts';

/** What `createIndexes` was given, with its defaults filled in; `listIndexes` shows it again. */
export type IndexSpec = {
  v: number;
  key: Doc;
  name: string;
  unique?: boolean;
  sparse?: boolean;
  hidden?: boolean;
  partialFilterExpression?: Doc;
  expireAfterSeconds?: unknown;
};

/** One index: its definition and its table of (key, rid). */
export class Index {
  readonly id: number;
  readonly spec: IndexSpec;
  readonly fields: readonly IndexedField[];
  readonly isId: boolean;
  readonly unique: boolean;
  readonly partial: Matcher | undefined;
  /** The fields of the first level that decide on a document's entries; undefined where these may be any. */
  readonly roots: ReadonlySet<string> | undefined;
  readonly table: string;
  /** Per field, the path prefixes under which some document has had an array; undefined while none had. */
  arrays: ReadonlyArray<readonly string[]> | undefined;
  readonly #add: StatementSync;
  readonly #drop: StatementSync;
  readonly #holder: StatementSync;

  constructor(sqlite: DatabaseSync, id: number, spec: IndexSpec, arrays: ReadonlyArray<readonly string[]> | undefined) {
    this.id = id;
    this.spec = spec;
    this.fields = Object.entries(spec.key).map(([path, direction]) => ({
      path,
      parts: path.split('.'),
      direction: Number(direction) < 0 ? -1 : 1,
    }));
    this.isId = spec.name === '_id_';
    this.unique = this.isId || spec.unique === true;
    this.partial = spec.partialFilterExpression && compileFilter(spec.partialFilterExpression);
    const partialRoots = spec.partialFilterExpression ? rootsOf(spec.partialFilterExpression) : new Set<string>();
    this.roots = partialRoots && new Set([...partialRoots, ...this.fields.map(({ parts }) => parts[0] ?? '')]);
    this.arrays = arrays;
    this.table = `index_${id}`;
    this.#add = sqlite.prepare(`INSERT INTO ${this.table} (key, rid) VALUES (?, ?)`);
    this.#drop = sqlite.prepare(`DELETE FROM ${this.table} WHERE key = ? AND rid = ?`);
    this.#holder = prepareRows(sqlite, `SELECT rid FROM ${this.table} WHERE key = ? LIMIT 1`);
  }

  /** The entries a document has here; none if a partial or sparse index leaves it out. */
  entriesOf(doc: Doc): Entries | undefined {
    if (this.partial && !this.partial(doc)) return undefined;
    const entries = indexEntries(doc, this.fields);
    return this.spec.sparse ? withoutMissing(entries) : entries;
  }

  /** Whether a change of these fields may change a document's entries here; undefined: of any. */
  dependsOn(changed: ReadonlySet<string> | undefined): boolean {
    if (this.roots === undefined || changed === undefined) return true;
    for (const root of this.roots) if (changed.has(root)) return true;
    return false;
  }

  /** Refuses entries that a unique index already holds for another document. */
  checkUnique(entries: Entries, rid: number, namespace: string): void {
    if (!this.unique) return;
    for (const [at, key] of entries.keys.entries()) {
      const holder = this.holder(key);
      if (holder !== undefined && holder !== rid) throw this.duplicate(namespace, entries.rows[at] ?? []);
    }
  }

  holder(key: Buffer): number | undefined {
    const row = this.#holder.get(key) as unknown as [number] | undefined;
    return row?.[0];
  }

  add(key: Buffer, rid: number): void {
    this.#add.run(key, rid);
  }

  drop(key: Buffer, rid: number): void {
    this.#drop.run(key, rid);
  }

  /** Whether entries show arrays where the index has seen none so far; remembers them. */
  noteArrays(entries: Entries): boolean {
    if (!entries.arrayPaths) return false;
    const known = this.arrays ?? this.fields.map(() => []);
    const merged = this.fields.map((_, field) => [...new Set([...(known[field] ?? []), ...(entries.arrayPaths?.[field] ?? [])])]);
    const grown = merged.some((paths, field) => paths.length > (known[field]?.length ?? 0));
    if (grown) this.arrays = merged;
    return grown;
  }

  duplicate(namespace: string, values: readonly unknown[]) {
    const keyValue: Doc = {};
    for (const [at, field] of this.fields.entries()) keyValue[field.path] = values[at] ?? null;
    const shown = Object.entries(keyValue).map(([path, value]) => `${path}: ${show(value)}`);
    return failure(
      'DuplicateKey',
      `E11000 duplicate key error collection: ${namespace} index: ${this.spec.name} dup key: { ${shown.join(', ')} }`,
      { keyPattern: this.spec.key, keyValue },
    );
  }
}

/** A sparse index leaves out the keys of which all fields are missing; so it may leave out the document. */
function withoutMissing(entries: Entries): Entries | undefined {
  const { keys, rows } = entries;
  if (!rows.some(allMissing)) return entries;
  const kept = {
    ...entries,
    keys: keys.filter((_, at) => !allMissing(rows[at] ?? [])),
    rows: rows.filter((row) => !allMissing(row)),
  };
  return kept.keys.length > 0 ? kept : undefined;
}

const allMissing = (row: readonly unknown[]) => row.every((value) => value === undefined);

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (Array.isArray(value)) return `[ ${value.map(show).join(', ')} ]`;
  if (isDoc(value)) {
    return `{ ${Object.entries(value)
      .map(([name, inner]) => `${name}: ${show(inner)}`)
      .join(', ')} }`;
  }
  if (typeof value === 'object' && value !== null && '_bsontype' in value && value._bsontype === 'ObjectId') {
    return `ObjectId('${String(value)}')`;
  }
  return String(value);
}

/** Reads a definition back from the catalogue. */
export function decodeSpec(bytes: Uint8Array): IndexSpec {
  return decodeDocument(bytes) as IndexSpec;
}

/** Whether two definitions hold the same keys of the same documents; their names and expiry may differ. */
export function sameSignature(a: IndexSpec, b: IndexSpec): boolean {
  return (
    equalValues(a.key, b.key) &&
    samePartial(a, b) &&
    (a.unique ?? false) === (b.unique ?? false) &&
    (a.sparse ?? false) === (b.sparse ?? false)
  );
}

/** Whether two definitions are about the same documents. */
export const samePartial = (a: IndexSpec, b: IndexSpec): boolean =>
  equalValues(a.partialFilterExpression ?? null, b.partialFilterExpression ?? null);
