import { RefusalError, refuse } from '@gerbang/core';
import type { Cancellation } from '@gerbang/rpc';
import { contextFrom, currentContext, type Logger, type TraceContext, withSpan } from '@gerbang/runtime';
import type { Outcome } from '../posting/decide-batch.ts';
import type { Posting, Result } from '../posting/posting.ts';
import type { LookedUp } from './known-keys.ts';

/** Postings in one batch. */
const BATCH_MAX = 1_000;
/** Postings that may wait; one more is refused, so that a flood grows no queue. */
const WAITING_MAX = 10_000;

/** The durable answer to a posting. `repeated`: its key had been answered before. */
export type Posted = { result: Result; atMs: number; repeated: boolean };

type Waiting = {
  posting: Posting;
  /** The request that it belongs to, for the trace. */
  context: TraceContext;
  gone: boolean;
  resolve: (posted: Posted) => void;
  reject: (refusal: RefusalError) => void;
};

/**
 * Makes a batch of postings durable and answers what became of each, or undefined when the partition has gone to another writer.
 */
export type CommitPostings = (
  postings: readonly Posting[],
  lookedUp: readonly LookedUp[],
  signal: AbortSignal,
) => Promise<{ outcomes: readonly Outcome[]; atMs: number } | undefined>;

/** Postings whose keys have been looked up together. */
type Group = { postings: Waiting[]; lookedUp: LookedUp };

/**
 * The queue before a partition's journal: one batch at a time, of all that waits when the one before it is durable. The keys of
 * those that come meanwhile are looked up while it is written. There is no timer, so a lone posting goes at once and batches grow
 * with the load.
 */
export class Writer {
  readonly #lookUp: (postings: readonly Posting[]) => Promise<LookedUp>;
  readonly #commit: CommitPostings;
  readonly #log: Logger;
  readonly #abort = new AbortController();
  readonly #unlooked: Waiting[] = [];
  readonly #ready: Group[] = [];
  /** Postings between their arrival and their answer. */
  #pending = 0;
  #looking: Promise<void> | undefined;
  #writing: Promise<void> | undefined;
  /** Takes no more postings. */
  #stopped = false;
  /** Refuses also those that wait. */
  #givenUp = false;

  constructor(lookUp: (postings: readonly Posting[]) => Promise<LookedUp>, commit: CommitPostings, log: Logger) {
    this.#lookUp = lookUp;
    this.#commit = commit;
    this.#log = log;
  }

  /**
   * Answers once the posting is durable. Refusals: unavailable (too many wait, or the partition is being given up; the same key
   * may be posted again), timeout (`call`; the posting may have happened or may yet), posting_key_conflict.
   */
  submit(posting: Posting, call: Cancellation): Promise<Posted> {
    if (this.#stopped || this.#pending >= WAITING_MAX) return Promise.reject(unavailable());
    if (call.aborted) return Promise.reject(new RefusalError(refuse('timeout')));
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { posting, context: currentContext(), gone: false, resolve, reject };
      call.onAbort(() => {
        waiting.gone = true;
        reject(new RefusalError(refuse('timeout')));
      });
      this.#pending++;
      this.#unlooked.push(waiting);
      this.#look();
    });
  }

  /** Takes no more postings and refuses those that wait; a batch on its way is still seen through. */
  stop(): void {
    this.#stopped = true;
    this.#givenUp = true;
    this.#refuse(this.#unlooked.splice(0), unavailable());
    for (const { postings } of this.#ready.splice(0)) this.#refuse(postings, unavailable());
  }

  /** Takes no more postings, finishes those that wait, then resolves. */
  async drain(): Promise<void> {
    this.#stopped = true;
    while (this.#looking !== undefined || this.#writing !== undefined) await (this.#looking ?? this.#writing);
  }

  /** Leaves the batch on its way with its outcome open, for when the database does not come back. */
  abandon(): void {
    this.stop();
    this.#abort.abort();
  }

  #refuse(postings: readonly Waiting[], refusal: RefusalError): void {
    this.#pending -= postings.length;
    for (const { reject } of postings) reject(refusal);
  }

  #look(): void {
    this.#looking ??= this.#lookAll().finally(() => {
      this.#looking = undefined;
      if (this.#unlooked.length > 0) this.#look();
    });
  }

  async #lookAll(): Promise<void> {
    // What has come with the first posting goes with it.
    await new Promise(setImmediate);
    while (this.#unlooked.length > 0) {
      const taken = this.#unlooked.splice(0, BATCH_MAX);
      const postings = taken.filter(({ gone }) => !gone);
      this.#pending -= taken.length - postings.length;
      const [first] = postings;
      if (first === undefined) continue;
      try {
        const lookedUp = await withSpan('ledger look up keys', { parent: first.context }, () =>
          this.#lookUp(postings.map(({ posting }) => posting)),
        );
        if (this.#givenUp) throw unavailable();
        this.#ready.push({ postings, lookedUp });
        this.#write();
      } catch (error) {
        this.#refuse(postings, this.#unanswered(error, postings.length));
      }
    }
  }

  #write(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      if (this.#ready.length > 0) this.#write();
    });
  }

  async #writeAll(): Promise<void> {
    let answer: (() => void) | undefined;
    while (this.#ready.length > 0) {
      const writing = this.#writeBatch(takeBatch(this.#ready));
      // Those of the batch before are answered once this one is on its way, so that the database need not wait for that.
      if (answer !== undefined) setImmediate(answer);
      answer = await writing;
    }
    answer?.();
  }

  /** Returns how to answer the postings, which are durable then or were not taken. */
  async #writeBatch(groups: readonly Group[]): Promise<() => void> {
    const batch = groups.flatMap(({ postings }) => postings);
    const postings = batch.map(({ posting }) => posting);
    const lookedUp = groups.map((group) => group.lookedUp);
    // The work belongs to many requests; the trace of the first one shows it.
    const span = { parent: batch[0]?.context ?? contextFrom(''), attributes: { 'gerbang.batch.size': batch.length } };
    try {
      const committed = await withSpan('ledger batch', span, () => this.#commit(postings, lookedUp, this.#abort.signal));
      if (committed === undefined) throw unavailable();
      const { outcomes, atMs } = committed;
      if (outcomes.length !== batch.length) throw new Error('a posting has no outcome');
      return () => {
        this.#pending -= batch.length;
        for (const [i, outcome] of outcomes.entries()) {
          const waiting = batch[i];
          if (waiting !== undefined) answer(waiting, outcome, atMs);
        }
      };
    } catch (error) {
      return () => this.#refuse(batch, this.#unanswered(error, batch.length));
    }
  }

  #unanswered(error: unknown, postings: number): RefusalError {
    if (error instanceof RefusalError) return error;
    this.#log.warn({ err: error, postings }, 'postings were left without an answer');
    return unavailable(error);
  }
}

/** The groups at the front that fit into one batch, at least one. */
function takeBatch(ready: Group[]): Group[] {
  let postings = 0;
  const end = ready.findIndex((group, index) => {
    postings += group.postings.length;
    return index > 0 && postings > BATCH_MAX;
  });
  return ready.splice(0, end < 0 ? ready.length : end);
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
