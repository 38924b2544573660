import { RefusalError, refuse } from '@gerbang/core';
import { contextFrom, currentTraceparent, type Logger, withSpan } from '@gerbang/runtime';
import type { Outcome } from '../posting/decide-batch.ts';
import type { Posting, Result } from '../posting/posting.ts';

/** Postings in one batch. */
const BATCH_MAX = 1_000;
/** Postings that may wait; one more is refused, so that a flood grows no queue. */
const WAITING_MAX = 10_000;

/** The durable answer to a posting. `repeated`: its key had been answered before. */
export type Posted = { result: Result; atMs: number; repeated: boolean };

type Waiting = {
  posting: Posting;
  traceparent: string;
  gone: boolean;
  resolve: (posted: Posted) => void;
  reject: (refusal: RefusalError) => void;
};

/** Makes a batch of postings durable and answers what became of each, or undefined when the partition has gone to another writer. */
export type CommitPostings = (
  postings: readonly Posting[],
  signal: AbortSignal,
) => Promise<{ outcomes: readonly Outcome[]; atMs: number } | undefined>;

/**
 * The queue before a partition's journal: one batch at a time, of whatever waits when the one before it is durable. There is no timer, so a lone
 * posting goes at once and batches grow with the load.
 */
export class Writer {
  readonly #commit: CommitPostings;
  readonly #log: Logger;
  readonly #waiting: Waiting[] = [];
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(commit: CommitPostings, log: Logger) {
    this.#commit = commit;
    this.#log = log;
  }

  /**
   * Answers once the posting is durable. Refusals: unavailable (too many wait, or the partition is being given up; the same key may be posted
   * again), timeout (`signal`; the posting may have happened or may yet), posting_key_conflict.
   */
  submit(posting: Posting, signal: AbortSignal): Promise<Posted> {
    if (this.#stopped || this.#waiting.length >= WAITING_MAX) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.gone = true;
        reject(new RefusalError(refuse('timeout')));
      };
      const waiting: Waiting = {
        posting,
        traceparent: currentTraceparent(),
        gone: false,
        resolve: (posted) => {
          signal.removeEventListener('abort', leave);
          resolve(posted);
        },
        reject: (refusal) => {
          signal.removeEventListener('abort', leave);
          reject(refusal);
        },
      };
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiting);
      this.#start();
    });
  }

  /** Takes no more postings and refuses those that wait; a batch on its way is still seen through. */
  stop(): void {
    this.#stopped = true;
    for (const one of this.#waiting.splice(0)) one.reject(unavailable());
  }

  /** Takes no more postings, finishes those that wait, then resolves. */
  async drain(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Leaves the batch on its way with its outcome open, for when the database does not come back. */
  abandon(): void {
    this.stop();
    this.#abort.abort();
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#waiting.length > 0) this.#start();
    });
  }

  async #run(): Promise<void> {
    // What has come with the first posting goes with it.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_MAX).filter(({ gone }) => !gone);
      const [first] = batch;
      if (first !== undefined) await this.#write(first, batch);
    }
  }

  async #write(first: Waiting, batch: readonly Waiting[]): Promise<void> {
    const postings = batch.map(({ posting }) => posting);
    // The work belongs to many requests; the trace of the first one shows it.
    const span = { parent: contextFrom(first.traceparent), attributes: { 'gerbang.batch.size': batch.length } };
    try {
      const committed = await withSpan('ledger batch', span, () => this.#commit(postings, this.#abort.signal));
      if (committed === undefined) throw unavailable();
      const { outcomes, atMs } = committed;
      for (const [i, waiting] of batch.entries()) {
        const outcome = outcomes[i];
        if (outcome === undefined) throw new Error('a posting has no outcome');
        answer(waiting, outcome, atMs);
      }
    } catch (error) {
      const refusal = error instanceof RefusalError ? error : unavailable(error);
      if (refusal !== error) this.#log.warn({ err: error, postings: batch.length }, 'postings were left without an answer');
      for (const { reject } of batch) reject(refusal);
    }
  }
}

function answer({ resolve, reject }: Waiting, outcome: Outcome, atMs: number): void {
  switch (outcome.kind) {
    case 'new':
      resolve({ result: outcome.entry.result, atMs, repeated: false });
      break;
    case 'repeated':
      resolve({ result: outcome.earlier.result, atMs: outcome.earlier.atMs ?? atMs, repeated: true });
      break;
    case 'conflict':
      reject(new RefusalError(refuse('posting_key_conflict')));
      break;
    default:
      outcome satisfies never;
  }
}

function unavailable(cause?: unknown): RefusalError {
  return new RefusalError(refuse('unavailable', { retryAfterMs: 200 }), cause);
}
