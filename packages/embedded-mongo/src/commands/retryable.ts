import type { Doc } from '../bson/types.ts';
import type { Store } from '../storage/store.ts';

/** One retryable write: it answers statements that were executed before and notes those executed now. */
export class Retryable {
  readonly #store: Store;
  readonly #lsid: Uint8Array;
  readonly #txn: number;
  readonly #nowMs: number;
  readonly #results: Map<number, Doc>;
  #changed = false;

  constructor(store: Store, lsid: Uint8Array, txn: number, nowMs: number) {
    this.#store = store;
    this.#lsid = lsid;
    this.#txn = txn;
    this.#nowMs = nowMs;
    this.#results = new Map(store.sessions.executed(lsid, txn));
  }

  /** What a statement answered the first time, undefined if it is new. */
  earlier(statement: number): Doc | undefined {
    return this.#results.get(statement);
  }

  /** Whether something was executed that had not been before. */
  get changed(): boolean {
    return this.#changed;
  }

  executed(statement: number, result: Doc): void {
    this.#results.set(statement, result);
    this.#changed = true;
  }

  /** Keeps the results beside the writes; they become durable together. */
  save(): void {
    if (!this.#changed) return;
    this.#store.commits.write();
    this.#store.sessions.save(this.#lsid, this.#txn, this.#results, this.#nowMs);
  }
}
