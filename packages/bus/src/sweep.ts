import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@gerbang/core';
import { type Closeable, Gauge, type Logger, type Registry } from '@gerbang/runtime';
import type { AggregateDocument, Store } from '@gerbang/store';
import type { Document, FindCursor } from 'mongodb';
import type { Bus } from './bus.ts';
import type { Lag } from './lag.ts';
import type { Publish, Tailed } from './publisher.ts';
import { createRepublications } from './republications.ts';
import { openSweepLease } from './sweep-lease.ts';
import { watchSweep } from './sweep-watch.ts';

const LOOK_EVERY_MS = 1_000;
/** A tail is given this long to be published and confirmed after its write before the sweep publishes it. */
const GRACE_MS = 3_000;
/** Tails read and published together. */
const PAGE = 250;
/**
 * So many messages may wait for the notifier when the next page is published: enough to keep it busy, few enough that new events
 * wait a moment only.
 */
const LAG_MAX = 250;
/**
 * How soon it is asked again whether there is room: after a share of what was waited already, so that little of the room stays
 * unused.
 */
const ROOM_ASK = { minMs: 5, maxMs: 500, share: 0.1 };
/** A round ends when the notifier makes no room for this long; the next one begins with the oldest again. */
const ROOM_WAIT_MS = 5_000;

type Options = {
  bus: Bus;
  store: Store;
  service: string;
  clock: Clock;
  aggregateTypes: readonly string[];
  publish: Publish;
  lag: Lag;
  metrics?: Registry;
  log: Logger;
  stalledAfterMs?: number;
};

type Walk = { type: string; cursor: FindCursor<Tailed> };

/**
 * Publishes the tails that were not confirmed in time, the oldest first and no faster than the notifier takes them, so that a
 * backlog of any size needs no memory here or there and fresh events hardly wait behind it. One replica of a service does so at a
 * time.
 */
export function startSweep(options: Options): Closeable {
  const { bus, store, service, clock, aggregateTypes, publish, lag, log } = options;
  const lease = openSweepLease(store);
  const watch = watchSweep(options);
  const republications = createRepublications();
  const closing = new AbortController();
  const closed = () => closing.signal.aborted;

  const isOverdue = (document: Tailed) => oldestOf(document) <= clock.now() - GRACE_MS;
  const anyOverdue = async (): Promise<boolean> => {
    for (const type of aggregateTypes) {
      const oldest = await unconfirmed(store, type).limit(1).next();
      if (oldest !== null && isOverdue(oldest)) return true;
    }
    return false;
  };
  /** Waits until the notifier has worked off most of what was published; false when it does not. */
  const room = async (): Promise<boolean> => {
    const sinceMs = performance.now();
    for (let waitedMs = 0; !closed() && bus.isConnected() && waitedMs < ROOM_WAIT_MS; waitedMs = performance.now() - sinceMs) {
      if ((await lag.ask()) <= LAG_MAX) return true;
      await sleep(Math.min(Math.max(waitedMs * ROOM_ASK.share, ROOM_ASK.minMs), ROOM_ASK.maxMs));
    }
    return false;
  };
  const publishPage = async (type: string, page: readonly Tailed[]): Promise<boolean> => {
    const due = page.filter((document) => republications.isDue(type, document));
    if (due.length === 0) return true;
    if (!(await room()) || !(await lease.hold())) return false;
    watch.works();
    const results = await Promise.allSettled(due.map((document) => publish(type, document)));
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    for (const document of due) republications.published(type, document);
    if (failed.length > 0) log.warn({ err: failed[0], type, tails: failed.length }, 'could not publish unconfirmed events');
    return failed.length < due.length;
  };
  /** Once through everything overdue, a page of each type by turns, so that one type's backlog does not hold up another's. */
  const round = async (): Promise<void> => {
    let walks: Walk[] = aggregateTypes.map((type) => ({ type, cursor: unconfirmed(store, type) }));
    const opened = walks;
    try {
      while (walks.length > 0) {
        const left: Walk[] = [];
        for (const walk of walks) {
          const page = await nextPage(walk.cursor, isOverdue);
          if (page.length === 0) continue;
          left.push(walk);
          if (!(await publishPage(walk.type, page))) return;
        }
        walks = left;
      }
      republications.roundIsOver();
    } finally {
      await Promise.all(opened.map(({ cursor }) => cursor.close()));
    }
  };
  const look = async (): Promise<void> => {
    const isNeeded = await anyOverdue();
    if (isNeeded && !bus.isConnected()) {
      watch.fails(new Error('NATS is not connected'));
      return;
    }
    const isMine = isNeeded && (await lease.hold());
    // Where it is not mine another replica holds it.
    watch.works();
    if (isMine) await round();
  };

  const sweeping = (async () => {
    while (!closed()) {
      await look().catch((error: unknown) => {
        if (closed()) return;
        watch.fails(error);
        log.warn({ err: error, service }, 'could not sweep for unconfirmed events');
      });
      await sleep(LOOK_EVERY_MS, undefined, { signal: closing.signal }).catch(() => {});
    }
    await lease.release();
  })();
  if (options.metrics !== undefined) measureOldest(options.metrics, () => oldestMs(options));
  return {
    async close() {
      closing.abort();
      await watch.close();
      await sweeping;
    },
  };
}

/**
 * The aggregates of a kind that have unconfirmed events, the one with the oldest event first. There is no condition on the times:
 * MongoDB walks an index over arrays in its own order only where the query leaves their range open, and would otherwise sort a
 * whole backlog.
 */
function unconfirmed(store: Store, type: string): FindCursor<Tailed> {
  return store
    .collection<AggregateDocument<Document>>(type)
    .find({ 'tail.0': { $exists: true } }, { projection: { merchant_id: 1, tail: 1 }, batchSize: PAGE })
    .sort({ 'tail.at': 1 });
}

/** When its oldest unconfirmed event happened, business time. */
function oldestOf({ tail }: Tailed): number {
  return Math.min(...tail.map(({ at }) => at.getTime()));
}

/** The next page of a walk; it ends with the first that is not wanted. */
async function nextPage(cursor: FindCursor<Tailed>, isWanted: (document: Tailed) => boolean): Promise<Tailed[]> {
  const page: Tailed[] = [];
  while (page.length < PAGE) {
    const document = await cursor.next();
    if (document === null || !isWanted(document)) break;
    page.push(document);
  }
  return page;
}

/** How long ago the oldest event happened that is not confirmed, business time; 0 when all are. */
async function oldestMs({ store, aggregateTypes, clock }: Options): Promise<number> {
  let oldest = clock.now();
  for (const type of aggregateTypes) {
    const found = await unconfirmed(store, type).limit(1).next();
    if (found !== null) oldest = Math.min(oldest, oldestOf(found));
  }
  return clock.now() - oldest;
}

function measureOldest(registry: Registry, ask: () => Promise<number>): void {
  new Gauge({
    name: 'gerbang_events_unconfirmed_oldest_seconds',
    help: 'Age of the oldest event that the notifier has not confirmed, business time; 0 when all are confirmed',
    registers: [registry],
    async collect() {
      this.set((await ask()) / 1_000);
    },
  });
}
