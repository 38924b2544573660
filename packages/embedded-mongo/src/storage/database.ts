import { closeSync, existsSync, fsyncSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** The layout of the data file; a file with a higher number belongs to a newer version. */
export const layoutVersion = 1;
/** Marks the file as ours, in SQLite's `application_id`: "GrbM". */
const applicationId = 0x4772624d;

/** The data file can't be used; its message is one line for the operator. */
export class DataFileError extends Error {
  override readonly name = 'DataFileError';
}

/** How hard a commit is pressed onto the disk; anything but `full` loses acknowledged writes in a power loss. */
export type Synchronous = 'full' | 'normal' | 'off';

/** Makes what a file holds durable, or the names in a folder. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Opens or creates the data file and takes it for this process alone. */
export function openDataFile(path: string, synchronous: Synchronous): DatabaseSync {
  checkHeader(path);
  // A process that was killed may have left a commit in the log that it had not synced yet. From now on everybody can read it: it
  // has to last.
  if (existsSync(`${path}-wal`)) syncPath(`${path}-wal`);
  const sqlite = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  try {
    // Exclusive locking before WAL keeps the index of the log in this process instead of in a shared file.
    sqlite.exec('PRAGMA locking_mode = EXCLUSIVE');
    sqlite.exec('PRAGMA page_size = 4096');
    sqlite.exec('PRAGMA journal_mode = WAL');
    sqlite.exec(`PRAGMA synchronous = ${synchronous}`);
    sqlite.exec('PRAGMA cache_size = -32768');
    sqlite.exec('PRAGMA wal_autocheckpoint = 8000');
    sqlite.exec('PRAGMA temp_store = MEMORY');
    sqlite.exec('BEGIN IMMEDIATE');
    const version = pragmaNumber(sqlite, 'user_version');
    if (version > layoutVersion) throw new DataFileError(newerMessage(path, version));
    if (version === 0) createLayout(sqlite, path);
    // Of earlier versions: every write paid for what cleaning up, once in thousands of writes, does without.
    sqlite.exec('DROP INDEX IF EXISTS sessions_at');
    sqlite.exec('COMMIT');
    if (version === 0) syncPath(dirname(path));
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw explained(path, error);
  }
}

function createLayout(sqlite: DatabaseSync, path: string): void {
  const tables = sqlite.prepare('SELECT count(*) AS n FROM sqlite_schema').get();
  if (Number(tables?.n) > 0) throw new DataFileError(`${path} is not a data file of the embedded MongoDB`);
  sqlite.exec(`
    CREATE TABLE collections (id INTEGER PRIMARY KEY, db TEXT NOT NULL, name TEXT NOT NULL, spec BLOB NOT NULL, UNIQUE (db, name));
    CREATE TABLE indexes (id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, name TEXT NOT NULL, spec BLOB NOT NULL, arrays TEXT,
      UNIQUE (collection, name));
    CREATE TABLE sessions (lsid BLOB PRIMARY KEY, txn INTEGER NOT NULL, at INTEGER NOT NULL, results BLOB NOT NULL) WITHOUT ROWID;
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${layoutVersion};
  `);
}

function pragmaNumber(sqlite: DatabaseSync, name: string): number {
  return Number(sqlite.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
}

/** Reads the header before SQLite touches the file, so that one that is not ours stays as it is. */
function checkHeader(path: string): void {
  if (!existsSync(path) || statSync(path).size === 0) return;
  const header = Buffer.alloc(100);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, 100, 0);
  } finally {
    closeSync(file);
  }
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0') throw new DataFileError(`${path} is corrupt: not a data file`);
  // With a log beside it the header may not have been written back yet; SQLite checks again after recovery.
  if (existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0) return;
  if (header.readUInt32BE(60) > layoutVersion) throw new DataFileError(newerMessage(path, header.readUInt32BE(60)));
  if (header.readUInt32BE(68) !== applicationId) throw new DataFileError(`${path} is not a data file of the embedded MongoDB`);
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  if (statSync(path).size < pageBytes * header.readUInt32BE(28))
    throw new DataFileError(`${path} is corrupt: it has been cut short`);
}

const newerMessage = (path: string, version: number) =>
  `${path} was written by a newer version (layout ${version}, this one knows ${layoutVersion}); it has been left untouched`;

function explained(path: string, error: unknown): unknown {
  if (error instanceof DataFileError || !(error instanceof Error)) return error;
  const code = 'errcode' in error ? Number(error.errcode) & 0xff : 0;
  if (code === 5) return new DataFileError(`${path} is locked by another process`, { cause: error });
  if (code === 11 || code === 26) return new DataFileError(`${path} is corrupt: ${error.message}`, { cause: error });
  return error;
}

/** A prepared statement whose rows are arrays. */
export function prepareRows(sqlite: DatabaseSync, sql: string): StatementSync {
  const statement = sqlite.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}
