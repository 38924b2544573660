import type { DatabaseSync, StatementSync } from 'node:sqlite';

type Waiting = { done: () => void; failed: (error: unknown) => void };

/** A long batch is committed on the way, so that neither the log nor the waiting replies grow without bound. */
const waitingMax = 2000;

/**
 * All commands that arrive in one turn of the event loop share one transaction and one fsync. The commit runs right
 * after the turn's input has been handled; a lone writer waits for no timer.
 */
export class GroupCommit {
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #sqlite: DatabaseSync;
  readonly #onRollback: () => void;
  #open = false;
  #scheduled = false;
  #poisoned: unknown;
  #waiting: Waiting[] = [];

  constructor(sqlite: DatabaseSync, onRollback: () => void) {
    this.#sqlite = sqlite;
    this.#begin = sqlite.prepare('BEGIN IMMEDIATE');
    this.#commit = sqlite.prepare('COMMIT');
    this.#onRollback = onRollback;
  }

  /** Must be called before anything is written. */
  write(): void {
    if (this.#open) return;
    this.#begin.run();
    this.#open = true;
    this.#schedule();
  }

  /** Nothing of the open batch may be kept: something failed half way through a write. */
  poison(error: unknown): void {
    if (this.#open) this.#poisoned ??= error;
  }

  /**
   * Calls `done` when everything written so far is durable, at the end of this turn. Replies to reads wait as well:
   * they may have seen what is not durable yet, and replies sent together are read together by the client.
   */
  after(waiting: Waiting): void {
    this.#schedule();
    this.#waiting.push(waiting);
    if (this.#waiting.length >= waitingMax) this.flush();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.flush();
    });
  }

  /** Commits what is open and answers everyone who waits. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const error = this.#poisoned ?? (this.#open ? this.#tryCommit() : undefined);
    this.#poisoned = undefined;
    this.#open = false;
    if (error === undefined) {
      for (const one of waiting) one.done();
      return;
    }
    if (this.#sqlite.isTransaction) this.#sqlite.exec('ROLLBACK');
    this.#onRollback();
    for (const one of waiting) one.failed(error);
  }

  #tryCommit(): unknown {
    try {
      this.#commit.run();
      return undefined;
    } catch (error) {
      return error ?? new Error('commit failed');
    }
  }
}
