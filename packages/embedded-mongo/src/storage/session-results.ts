import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import type { Doc } from '../bson/types.ts';
import { isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { prepareRows } from './database.ts';

/** What the statements of a session's newest retryable write have answered, by statement number. */
export type Executed = { txn: number; results: Map<number, Doc> };

const rememberedMax = 2000;
const keptMs = 30 * 60_000;
const keptRowsMax = 10_000;
const cleanEvery = 5_000;

/**
 * Results of retryable writes, so that a repeated statement answers what it answered first, also after a restart.
 * A session keeps only its newest transaction number; sessions that are long silent are forgotten.
 */
export class SessionResults {
  readonly #find: StatementSync;
  readonly #save: StatementSync;
  readonly #clean: StatementSync;
  readonly #remembered = new Map<string, Executed>();
  #saves = 0;

  constructor(sqlite: DatabaseSync) {
    this.#find = prepareRows(sqlite, 'SELECT txn, results FROM sessions WHERE lsid = ?');
    this.#save = sqlite.prepare('INSERT OR REPLACE INTO sessions (lsid, txn, at, results) VALUES (?, ?, ?, ?)');
    this.#clean = sqlite.prepare(
      'DELETE FROM sessions WHERE at < ? OR at < (SELECT at FROM sessions ORDER BY at DESC LIMIT 1 OFFSET ?)',
    );
  }

  /** Drops the copy in memory; the file decides again. */
  forget(): void {
    this.#remembered.clear();
  }

  /** The statements already executed under this number. Refuses a number older than the session's newest. */
  executed(lsid: Uint8Array, txn: number): Map<number, Doc> {
    const known = this.#lookup(lsid);
    if (!known || known.txn < txn) return new Map();
    if (known.txn > txn) {
      throw failure(
        'TransactionTooOld',
        `Retryable write with txnNumber ${txn} is prohibited on session because a newer retryable write with txnNumber ${known.txn} has already started on this session.`,
      );
    }
    return known.results;
  }

  #lookup(lsid: Uint8Array): Executed | undefined {
    const key = keyOf(lsid);
    const remembered = this.#remembered.get(key);
    if (remembered) return remembered;
    const row = this.#find.get(lsid) as unknown as [number, Uint8Array] | undefined;
    if (!row) return undefined;
    const results = new Map<number, Doc>();
    for (const [statement, result] of Object.entries(decodeDocument(row[1]))) {
      if (isDoc(result)) results.set(Number(statement), result);
      // A run of plain inserts is kept as its length.
      else if (statement === 'inserted') for (let at = 0; at < Number(result); at++) results.set(at, { n: 1 });
    }
    return this.#remember(key, { txn: row[0], results });
  }

  #remember(key: string, executed: Executed): Executed {
    this.#remembered.set(key, executed);
    if (this.#remembered.size > rememberedMax) {
      for (const oldest of this.#remembered.keys()) {
        this.#remembered.delete(oldest);
        break;
      }
    }
    return executed;
  }

  /** Keeps the results in the same transaction as the writes that they describe. */
  save(lsid: Uint8Array, txn: number, results: Map<number, Doc>, nowMs: number): void {
    this.#save.run(lsid, txn, nowMs, encodeResults(results));
    this.#remember(keyOf(lsid), { txn, results });
    if (++this.#saves % cleanEvery === 0) this.#clean.run(nowMs - keptMs, keptRowsMax);
  }
}

const keyOf = (lsid: Uint8Array) => Buffer.from(lsid).toString('latin1');
const noResults = encodeDocument({});

function encodeResults(results: Map<number, Doc>): Buffer {
  if (results.size === 0) return noResults;
  let inserted = 0;
  while (isPlainInsert(results.get(inserted))) inserted++;
  if (inserted === results.size) return encodeDocument({ inserted });
  return encodeDocument(Object.fromEntries([...results].map(([statement, result]) => [String(statement), result])));
}

function isPlainInsert(result: Doc | undefined): boolean {
  if (result?.n !== 1) return false;
  for (const name in result) if (name !== 'n') return false;
  return true;
}
