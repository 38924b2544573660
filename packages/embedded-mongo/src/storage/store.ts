import { randomBytes } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Binary } from 'bson';
import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import type { Doc } from '../bson/types.ts';
import { isDoc } from '../bson/types.ts';
import { Collection, type Settings } from './collection.ts';
import { openDataFile, prepareRows, type Synchronous } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { decodeSpec, Index, type IndexSpec } from './index.ts';
import { SessionResults } from './session-results.ts';

/** The data file as databases, collections and indexes; the catalogue is kept in memory beside it. */
export class Store {
  readonly sqlite: DatabaseSync;
  readonly commits: GroupCommit;
  readonly sessions: SessionResults;
  readonly settings: Settings = { noTableScan: false, shuffleUnsorted: false };
  readonly #collections = new Map<string, Collection>();
  readonly #saveArrays: StatementSync;
  readonly #savepoint: StatementSync;

  constructor(path: string, synchronous: Synchronous) {
    this.sqlite = openDataFile(path, synchronous);
    this.#saveArrays = this.sqlite.prepare('UPDATE indexes SET arrays = ? WHERE id = ?');
    this.#savepoint = this.sqlite.prepare('SAVEPOINT definition');
    this.sessions = new SessionResults(this.sqlite);
    this.commits = new GroupCommit(this.sqlite, () => this.#reload());
    this.#reload();
  }

  close(): void {
    this.commits.flush();
    this.sqlite.close();
  }

  #reload(): void {
    this.sessions.forget();
    this.#collections.clear();
    const rows = this.sqlite.prepare('SELECT id, db, name, spec FROM collections').all();
    for (const row of rows) {
      const spec = decodeDocument(row.spec as Uint8Array);
      const indexes = this.sqlite
        .prepare('SELECT id, spec, arrays FROM indexes WHERE collection = ? ORDER BY id')
        .all(row.id as number)
        .map((index) => this.#loadIndex(index));
      const idIndex = indexes.find((index) => index.isId);
      if (!idIndex) throw new Error(`collection ${row.db}.${row.name} has no index on _id`);
      const own = {
        id: Number(row.id),
        db: String(row.db),
        name: String(row.name),
        options: docOf(spec.options),
        uuid: spec.uuid,
      };
      this.#remember(
        own,
        idIndex,
        indexes.filter((index) => !index.isId),
      );
    }
  }

  #loadIndex(row: Record<string, unknown>): Index {
    const arrays = typeof row.arrays === 'string' ? (JSON.parse(row.arrays) as string[][]) : undefined;
    return new Index(this.sqlite, Number(row.id), decodeSpec(row.spec as Uint8Array), arrays);
  }

  #remember(
    own: Omit<ConstructorParameters<typeof Collection>[1], 'settings'>,
    idIndex: Index,
    indexes: readonly Index[],
  ): Collection {
    const onArrays = (index: Index) => {
      this.#saveArrays.run(JSON.stringify(index.arrays), index.id);
    };
    const collection = new Collection(this.sqlite, { ...own, settings: this.settings }, idIndex, indexes, onArrays);
    this.#collections.set(key(own.db, own.name), collection);
    return collection;
  }

  collection(db: string, name: string): Collection | undefined {
    return this.#collections.get(key(db, name));
  }

  collections(db: string): Collection[] {
    return [...this.#collections.values()].filter((collection) => collection.db === db);
  }

  allCollections(): Collection[] {
    return [...this.#collections.values()];
  }

  databases(): string[] {
    return [...new Set([...this.#collections.values()].map((collection) => collection.db))].sort();
  }

  createCollection(db: string, name: string, options: Doc): Collection {
    this.commits.write();
    return this.#defining(() => {
      const uuid = new Binary(randomBytes(16), 4);
      const spec = encodeDocument({ options, uuid });
      const added = this.sqlite.prepare('INSERT INTO collections (db, name, spec) VALUES (?, ?, ?)').run(db, name, spec);
      const id = Number(added.lastInsertRowid);
      this.sqlite.exec(`CREATE TABLE documents_${id} (rid INTEGER PRIMARY KEY, doc BLOB NOT NULL)`);
      const idIndex = this.#defineIndex(id, { v: 2, key: { _id: 1 }, name: '_id_' });
      return this.#remember({ id, db, name, options, uuid }, idIndex, []);
    });
  }

  dropCollection(collection: Collection): void {
    this.commits.write();
    for (const index of collection.allIndexes) this.sqlite.exec(`DROP TABLE ${index.table}`);
    this.sqlite.exec(`DROP TABLE ${collection.table}`);
    this.sqlite.prepare('DELETE FROM indexes WHERE collection = ?').run(collection.id);
    this.sqlite.prepare('DELETE FROM collections WHERE id = ?').run(collection.id);
    this.#collections.delete(key(collection.db, collection.name));
  }

  /** Creates and fills indexes; if one is refused none remains. */
  createIndexes(collection: Collection, specs: readonly IndexSpec[]): void {
    this.commits.write();
    this.#defining(() => {
      const added = specs.map((spec) => {
        const index = this.#defineIndex(collection.id, spec);
        collection.buildIndex(index);
        return index;
      });
      collection.indexes = [...collection.indexes, ...added];
    });
  }

  dropIndex(collection: Collection, index: Index): void {
    this.commits.write();
    this.sqlite.exec(`DROP TABLE ${index.table}`);
    this.sqlite.prepare('DELETE FROM indexes WHERE id = ?').run(index.id);
    collection.indexes = collection.indexes.filter((other) => other !== index);
  }

  #defineIndex(collectionId: number, spec: IndexSpec): Index {
    const added = this.sqlite
      .prepare('INSERT INTO indexes (collection, name, spec) VALUES (?, ?, ?)')
      .run(collectionId, spec.name, encodeDocument(spec));
    const id = Number(added.lastInsertRowid);
    // The `_id` index holds each key once; in the others the rid tells equal keys apart.
    const primary = spec.name === '_id_' ? 'key' : 'key, rid';
    this.sqlite.exec(
      `CREATE TABLE index_${id} (key BLOB NOT NULL, rid INTEGER NOT NULL, PRIMARY KEY (${primary})) WITHOUT ROWID`,
    );
    return new Index(this.sqlite, id, spec, undefined);
  }

  /** A definition that fails half way is undone without touching its neighbours in the batch. */
  #defining<T>(define: () => T): T {
    this.#savepoint.run();
    try {
      const result = define();
      this.sqlite.exec('RELEASE definition');
      return result;
    } catch (error) {
      this.sqlite.exec('ROLLBACK TO definition; RELEASE definition');
      throw error;
    }
  }

  /** Bytes of the data file that are in use. */
  sizeBytes(): number {
    const [pages] = prepareRows(this.sqlite, 'PRAGMA page_count').get() as unknown as [number];
    return pages * 4096;
  }
}

const key = (db: string, name: string) => `${db}.${name}`;
const docOf = (value: unknown): Doc => (isDoc(value) ? value : {});
