import { setTimeout as sleep } from 'node:timers/promises';
import { RefusalError, refuse } from '@gerbang/core';
import { contextFrom, type Logger, withSpan } from '@gerbang/runtime';
import type { Projection, ProjectionStore } from './store.ts';

/** Postings that one round writes, at least one batch. */
const ROUND_POSTINGS_MAX = 2_000;
const ROUND_BATCHES_MAX = 200;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 2_000;

/** Writes a partition's projections behind its journal; what it has not written yet waits in memory. */
export type Projector = {
  /** Takes the next batch; never waits. */
  add(projection: Projection): void;
  /** Postings that wait. */
  lag(): number;
  /** The last batch that the projections have. */
  projectedSeq(): bigint;
  /** Waits until the projections have the batch. Refusals: unavailable (`signal` came first, or the partition is being given up). */
  reached(seq: bigint, signal: AbortSignal): Promise<void>;
  /** Waits until nothing is waiting. */
  settled(): Promise<void>;
  /** Finishes the round that is being written and leaves the rest to whoever loads the partition next. */
  stop(): Promise<void>;
};

export function startProjector(options: {
  store: ProjectionStore;
  projectedSeq: bigint;
  onProjected: (seq: bigint, lag: number) => void;
  log: Logger;
}): Projector {
  const { store, onProjected, log } = options;
  const stopping = new AbortController();
  const waiting: Projection[] = [];
  let projectedSeq = options.projectedSeq;
  let lag = 0;
  let running: Promise<void> | undefined;
  const listeners = new Set<() => void>();

  const writeRound = async (round: readonly Projection[]) => {
    for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
      try {
        return await withSpan('ledger project', { parent: contextFrom('') }, () => store.write(round));
      } catch (error) {
        log.warn({ err: error }, 'the projections could not be written');
      }
      await sleep(waitMs, undefined, { signal: stopping.signal });
    }
  };
  const run = async () => {
    while (waiting.length > 0 && !stopping.signal.aborted) {
      const round = takeRound(waiting);
      await writeRound(round);
      waiting.splice(0, round.length);
      for (const { batch } of round) {
        lag -= batch.entries.length;
        projectedSeq = batch.seq;
      }
      onProjected(projectedSeq, lag);
      for (const listener of listeners) listener();
    }
  };
  const start = () => {
    if (running !== undefined || stopping.signal.aborted) return;
    running = run()
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ err: error }, 'the projector ended');
      })
      .finally(() => {
        running = undefined;
        if (waiting.length > 0) start();
      });
  };
  return {
    add(projection) {
      waiting.push(projection);
      lag += projection.batch.entries.length;
      start();
    },
    lag: () => lag,
    projectedSeq: () => projectedSeq,
    async reached(seq, signal) {
      const leaving = AbortSignal.any([signal, stopping.signal]);
      while (projectedSeq < seq) {
        if (leaving.aborted) throw new RefusalError(refuse('unavailable', { retryAfterMs: 200 }));
        await new Promise<void>((resolve) => {
          const listener = () => {
            listeners.delete(listener);
            leaving.removeEventListener('abort', listener);
            resolve();
          };
          listeners.add(listener);
          leaving.addEventListener('abort', listener, { once: true });
        });
      }
    },
    async settled() {
      while (running !== undefined) await running;
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

function takeRound(waiting: readonly Projection[]): Projection[] {
  const round: Projection[] = [];
  let postings = 0;
  for (const projection of waiting) {
    postings += projection.batch.entries.length;
    if (round.length > 0 && (postings > ROUND_POSTINGS_MAX || round.length >= ROUND_BATCHES_MAX)) break;
    round.push(projection);
  }
  return round;
}
