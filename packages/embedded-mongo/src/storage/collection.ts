import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { decodeDocument, decodeFields, decodeFirstField } from '../bson/decode.ts';
import type { Doc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { prepareRows } from './database.ts';
import type { Index } from './index.ts';
import type { Entries } from './index-entries.ts';
import { encodeValue } from './index-key.ts';

/** What an operator can change while the server runs. */
export type Settings = {
  noTableScan: boolean;
  /** What is found without a sort comes in random order. */
  shuffleUnsorted: boolean;
};

/** A document where it is stored. */
export type Stored = { rid: number; bytes: Uint8Array };

/** A document's entries in an index, before a change of it. */
export type EntriesBefore = { index: Index; keys: readonly Buffer[] };

/** The largest document, as on the server. */
export const documentBytesMax = 16 * 1024 * 1024;

/** One collection: its table of documents by rid, which grows in the order of insertion, and its indexes. */
export class Collection {
  readonly id: number;
  readonly db: string;
  readonly name: string;
  readonly options: Doc;
  readonly uuid: unknown;
  readonly table: string;
  readonly sqlite: DatabaseSync;
  readonly settings: Settings;
  readonly idIndex: Index;
  /** All indexes but the one on `_id`. */
  indexes: readonly Index[];
  /** Called when an index has met its first array at some path, which the catalogue keeps. */
  readonly #onArrays: (index: Index) => void;
  readonly #insert: StatementSync;
  readonly #replace: StatementSync;
  readonly #remove: StatementSync;
  readonly #byId: StatementSync;
  readonly #byRid: StatementSync;
  readonly #statements = new Map<string, StatementSync>();
  #nextRid: number;

  constructor(
    sqlite: DatabaseSync,
    own: { id: number; db: string; name: string; options: Doc; uuid: unknown; settings: Settings },
    idIndex: Index,
    indexes: readonly Index[],
    onArrays: (index: Index) => void,
  ) {
    this.sqlite = sqlite;
    this.id = own.id;
    this.db = own.db;
    this.name = own.name;
    this.options = own.options;
    this.uuid = own.uuid;
    this.settings = own.settings;
    this.idIndex = idIndex;
    this.indexes = indexes;
    this.#onArrays = onArrays;
    this.table = `documents_${own.id}`;
    this.#insert = sqlite.prepare(`INSERT INTO ${this.table} (rid, doc) VALUES (?, ?)`);
    this.#replace = sqlite.prepare(`UPDATE ${this.table} SET doc = ? WHERE rid = ?`);
    this.#remove = sqlite.prepare(`DELETE FROM ${this.table} WHERE rid = ?`);
    this.#byId = prepareRows(
      sqlite,
      `SELECT d.rid, d.doc FROM ${idIndex.table} i JOIN ${this.table} d ON d.rid = i.rid WHERE i.key = ?`,
    );
    this.#byRid = prepareRows(sqlite, `SELECT rid, doc FROM ${this.table} WHERE rid = ?`);
    const last = prepareRows(sqlite, `SELECT max(rid) FROM ${this.table}`).get() as unknown as [number | null];
    this.#nextRid = (last[0] ?? 0) + 1;
  }

  /** A statement whose rows are arrays, prepared once. */
  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = prepareRows(this.sqlite, sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  get namespace(): string {
    return `${this.db}.${this.name}`;
  }

  get allIndexes(): readonly Index[] {
    return [this.idIndex, ...this.indexes];
  }

  byId(id: unknown): Stored | undefined {
    return this.byIdKey(encodeValue(id));
  }

  /** `key` as the index on `_id` has it. */
  byIdKey(key: Uint8Array): Stored | undefined {
    return stored(this.#byId.get(key));
  }

  byRid(rid: number): Stored | undefined {
    return stored(this.#byRid.get(rid));
  }

  /** Stores a document whose first field is `_id`. Nothing is written if it is refused. */
  insert(bytes: Uint8Array): void {
    checkSize(bytes);
    const rid = this.#nextRid;
    const additions = this.#prepareEntries(bytes, rid);
    const id = decodeFirstField(bytes);
    const key = encodeValue(id);
    try {
      this.idIndex.add(key, rid);
    } catch (error) {
      if (isConstraint(error)) throw this.idIndex.duplicate(this.namespace, [id]);
      throw error;
    }
    this.#nextRid++;
    this.#insert.run(rid, bytes);
    for (const [index, entries] of additions) this.#addEntries(index, entries, rid);
  }

  #prepareEntries(bytes: Uint8Array, rid: number): Array<[Index, Entries]> {
    if (this.indexes.length === 0) return [];
    const roots = rootsOfAll(this.indexes);
    const doc = roots === undefined ? decodeDocument(bytes) : decodeFields(bytes, roots);
    const additions: Array<[Index, Entries]> = [];
    for (const index of this.indexes) {
      const entries = index.entriesOf(doc);
      if (!entries) continue;
      index.checkUnique(entries, rid, this.namespace);
      additions.push([index, entries]);
    }
    return additions;
  }

  #addEntries(index: Index, entries: Entries, rid: number): void {
    for (const key of entries.keys) index.add(key, rid);
    if (index.noteArrays(entries)) this.#onArrays(index);
  }

  /**
   * Puts new bytes in the place of a stored document with the same `_id`; indexes that are not named keep their entries. Nothing
   * is written if it is refused.
   */
  replace(rid: number, before: readonly EntriesBefore[], after: Doc, bytes: Uint8Array): void {
    checkSize(bytes);
    const changes: Array<{ index: Index; drop: Buffer[]; add: Buffer[]; entries: Entries | undefined }> = [];
    for (const { index, keys: old } of before) {
      const entries = index.entriesOf(after);
      const fresh = entries?.keys ?? [];
      const add = fresh.filter((key) => !old.some((other) => other.equals(key)));
      const drop = old.filter((key) => !fresh.some((other) => other.equals(key)));
      if (add.length === 0 && drop.length === 0) continue;
      if (entries) index.checkUnique(entries, rid, this.namespace);
      changes.push({ index, drop, add, entries });
    }
    this.#replace.run(bytes, rid);
    for (const { index, drop, add, entries } of changes) {
      for (const key of drop) index.drop(key, rid);
      for (const key of add) index.add(key, rid);
      if (entries && index.noteArrays(entries)) this.#onArrays(index);
    }
  }

  remove(one: Stored): void {
    this.#remove.run(one.rid);
    this.idIndex.drop(encodeValue(decodeFirstField(one.bytes)), one.rid);
    if (this.indexes.length === 0) return;
    const doc = decodeDocument(one.bytes);
    for (const index of this.indexes) {
      for (const key of index.entriesOf(doc)?.keys ?? []) index.drop(key, one.rid);
    }
  }

  /** Fills a new index from the documents that exist. */
  buildIndex(index: Index): void {
    for (const one of this.#everything()) {
      const entries = index.entriesOf(decodeDocument(one.bytes));
      if (!entries) continue;
      index.checkUnique(entries, one.rid, this.namespace);
      this.#addEntries(index, entries, one.rid);
    }
  }

  *#everything(): Generator<Stored> {
    const page = prepareRows(this.sqlite, `SELECT rid, doc FROM ${this.table} WHERE rid > ? ORDER BY rid LIMIT 100`);
    let last = -1;
    for (;;) {
      const rows = page.all(last) as unknown as Array<[number, Uint8Array]>;
      for (const [rid, bytes] of rows) {
        yield { rid, bytes };
        last = rid;
      }
      if (rows.length < 100) return;
    }
  }

  count(): number {
    const row = prepareRows(this.sqlite, `SELECT count(*) FROM ${this.idIndex.table}`).get() as unknown as [number];
    return row[0];
  }
}

/** All fields of the first level that decide on entries in these indexes; undefined where these may be any. */
export function rootsOfAll(indexes: readonly Index[]): ReadonlySet<string> | undefined {
  const all = new Set<string>();
  for (const { roots } of indexes) {
    if (roots === undefined) return undefined;
    for (const root of roots) all.add(root);
  }
  return all;
}

function stored(row: unknown): Stored | undefined {
  if (!Array.isArray(row)) return undefined;
  const [rid, bytes] = row as [number, Uint8Array];
  return { rid, bytes };
}

function checkSize(bytes: Uint8Array): void {
  if (bytes.length > documentBytesMax) {
    throw failure(
      'BSONObjectTooLarge',
      `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${documentBytesMax}(16MB)`,
    );
  }
}

function isConstraint(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 19;
}
