import { setTimeout as sleep } from 'node:timers/promises';
import { RefusalError, refuse } from '@gerbang/core';
import { contextFrom, type Logger, withSpan } from '@gerbang/runtime';
import type { Batch } from '../posting/posting.ts';
import type { Backlog } from './backlog.ts';
import type { Projection } from './projection.ts';
import type { Balances, ProjectionStore } from './store.ts';

/**
 * How long projections wait for more while no reader needs them, so that a single client's postings don't wait behind them.
 */
const PACE_MS = 100;
/** As many postings wait for no others. */
const ROUND_POSTINGS = 1_000;
/** Written together at most: the more there are, the more of them are neighbours in the statements' index and share its pages. */
const ROUND_POSTINGS_MAX = 25_000;
/** Balances are written when nothing more comes, or after this; then loading the partition replays that much of the journal. */
const BALANCES_EVERY_MS = 5_000;
const BALANCES_EVERY_POSTINGS = 50_000;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 2_000;

/** Writes a partition's projections behind its journal. */
export type Projector = {
  /** Takes the next batch; never waits. `balances` are those after it. */
  add(projection: Projection, balances: () => Map<string, bigint>): void;
  /** Postings that wait. */
  lag(): number;
  /** The last batch whose postings are stored. */
  projectedSeq(): bigint;
  /**
   * Waits until the postings of the batch are stored. Refusals: unavailable (`signal` came first, or the partition is being given
   * up).
   */
  reached(seq: bigint, signal: AbortSignal): Promise<void>;
  /** Writes what waits, balances included, and leaves nothing for later any more. */
  settled(): Promise<void>;
  /** Finishes the write that is on its way and leaves the rest to the next instance that loads the partition. */
  stop(): Promise<void>;
};

export function startProjector(options: {
  store: ProjectionStore;
  backlog: Backlog;
  projectedSeq: bigint;
  /** Whether the journal has so much to do that the projections are left for later. */
  shouldYield: () => boolean;
  onProjected: (seq: bigint) => void;
  log: Logger;
}): Projector {
  const { store, backlog, shouldYield, onProjected, log } = options;
  const stopping = new AbortController();
  let projectedSeq = options.projectedSeq;
  let running: Promise<void> | undefined;
  let pacing: NodeJS.Timeout | undefined;
  /** How far somebody waits for; no pace is kept up to there. */
  let wantedSeq = projectedSeq;
  const listeners = new Set<() => void>();
  let unwritten: { balances: Balances; last: Batch; postings: number; sinceMs: number } | undefined;

  /** Tries until it is done, with pauses; one step of the projecting, named for the log. */
  const insist = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
      try {
        return await withSpan(`ledger project: ${step}`, { parent: contextFrom('') }, work);
      } catch (error) {
        log.warn({ err: error }, `a step of the projecting failed: ${step}`);
      }
      await sleep(waitMs, undefined, { signal: stopping.signal });
    }
  };
  const note = ({ batch, after }: Projection) => {
    unwritten ??= { balances: new Map(), last: batch, postings: 0, sinceMs: performance.now() };
    for (const [account, sen] of after) unwritten.balances.set(account, { sen, seq: batch.seq });
    unwritten.last = batch;
    unwritten.postings += batch.entries.length;
  };
  const writeBalances = async () => {
    if (unwritten === undefined) return;
    const { balances, last } = unwritten;
    await insist('write balances', () => store.writeBalances(balances, last));
    unwritten = undefined;
  };
  const balancesAreDue = () =>
    unwritten !== undefined &&
    (unwritten.postings >= BALANCES_EVERY_POSTINGS || performance.now() - unwritten.sinceMs >= BALANCES_EVERY_MS);
  let settling = false;
  const mayYield = () => !settling && wantedSeq <= projectedSeq && shouldYield();
  /** Writes all that waits, unless the journal comes first. */
  const run = async () => {
    while (!mayYield()) {
      const round = await insist('read the backlog', () => backlog.oldest(ROUND_POSTINGS_MAX));
      const last = round.at(-1);
      if (last === undefined || stopping.signal.aborted) return;
      await insist('write postings', () => store.writePostings(round));
      backlog.removeOldest(round.length);
      for (const projection of round) note(projection);
      projectedSeq = last.batch.seq;
      onProjected(projectedSeq);
      for (const listener of listeners) listener();
      if (balancesAreDue()) await writeBalances();
    }
  };
  const start = (work: () => Promise<void>) => {
    if (running !== undefined || stopping.signal.aborted) return;
    clearTimeout(pacing);
    pacing = undefined;
    running = work()
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ err: error }, 'the projector ended');
      })
      .finally(() => {
        running = undefined;
        goOn();
      });
  };
  const goOn = () => {
    if (running !== undefined || stopping.signal.aborted) return;
    if ((backlog.size() >= ROUND_POSTINGS && !mayYield()) || wantedSeq > projectedSeq) start(run);
    else if (backlog.size() > 0 || unwritten !== undefined) {
      pacing ??= setTimeout(() => start(backlog.size() > 0 ? run : writeBalances), PACE_MS);
    }
  };
  return {
    add(projection, balances) {
      backlog.add(projection, balances);
      goOn();
    },
    lag: backlog.size,
    projectedSeq: () => projectedSeq,
    async reached(seq, signal) {
      const leaving = AbortSignal.any([signal, stopping.signal]);
      if (seq > wantedSeq) wantedSeq = seq;
      goOn();
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
      settling = true;
      while (!stopping.signal.aborted && (running !== undefined || backlog.size() > 0 || unwritten !== undefined)) {
        start(backlog.size() > 0 ? run : writeBalances);
        await running;
      }
    },
    async stop() {
      stopping.abort();
      clearTimeout(pacing);
      await running;
    },
  };
}
