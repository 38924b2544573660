import { randomUUID } from 'node:crypto';
import type { Clock } from '@gerbang/core';
import type { Closeable, Logger } from '@gerbang/runtime';
import type { Collection, Document, Filter, UpdateFilter } from 'mongodb';
import { traced } from './traced.ts';

/**
 * What a document with a timer has: when it is due in business time, and until when (in the database's time) a replica works on
 * it; `lease_by` names the claim where many were claimed at once.
 */
export type Due = { due_at?: Date; lease_until?: Date; lease_by?: string };

/** Candidates looked at in one go; replicas pick at random among them, so that they seldom meet. */
const CANDIDATES = 200;
/** Candidates that are handled one by one are looked for anew after so long: others may have become due, which come first. */
const STALE_MS = 1_000;

export type DueTimer = Closeable & {
  /** Looks at once instead of at the next poll. */
  poke(): void;
};

/**
 * Handles documents whose `due_at` has come, each claimed by one replica at a time with a lease in the database's own time. A
 * handler that fails, or a process that dies, leaves the document to be claimed again after the lease: so it runs at least once,
 * and what it does must be idempotent. The handler moves `due_at` on or removes it.
 *
 * `handleTogether` is for timers of which thousands fire at once: all candidates are claimed in two calls and given to it instead
 * of `handle`, so the work of all of them has to fit into the lease. While it waits for others, up to `concurrency` more batches
 * are claimed, so that one slow batch does not hold up the next.
 *
 * What is handled one by one holds up nothing but its own slot. `fairBy` names a field, for instance the account: the next free slot
 * goes to the one that has the fewest at work, so that one whose documents take long does not hold up the others. `concurrency` may
 * change as time goes by; while it is 0 nothing is begun.
 */
export async function startDueTimer<T extends Due & Document>(options: {
  collection: Collection<T>;
  clock: Clock;
  log: Logger;
  handle: (document: T) => Promise<void>;
  leaseMs: number;
  pollMs?: number;
  concurrency?: number | (() => number);
  fairBy?: keyof T & string;
  handleTogether?: (documents: T[]) => Promise<void>;
}): Promise<DueTimer> {
  const { collection, clock, log } = options;
  await collection.createIndex({ due_at: 1 }, { name: 'due', partialFilterExpression: { due_at: { $type: 'date' } } });
  const { concurrency = 32, fairBy } = options;
  const slots = () => (typeof concurrency === 'number' ? concurrency : concurrency());
  const running = new Set<Promise<void>>();
  const lanes = openLanes();
  let closed = false;
  let wake: (() => void) | undefined;
  let woken = false;
  const poke = () => {
    woken = true;
    wake?.();
  };
  const stopListening = clock.onAdvance(poke);

  const run = (lane: string, begin: () => Promise<void>) => {
    lanes.enter(lane);
    const task: Promise<void> = begin()
      .catch((error: unknown) => log.error({ err: error, collection: collection.collectionName }, 'a timer failed'))
      .finally(() => {
        lanes.leave(lane);
        running.delete(task);
      });
    running.add(task);
  };
  const work = async (id: T['_id']) => {
    const claimed = await claim(collection, id, clock.now(), options.leaseMs);
    if (claimed !== undefined) await options.handle(claimed);
  };
  /** Begins what the candidates are about, each once, as slots become free. */
  const workOnEach = async (waiting: Candidate<T>[]) => {
    const staleAtMs = performance.now() + STALE_MS;
    while (waiting.length > 0 && !closed) {
      while (running.size > 0 && running.size >= slots()) await Promise.race(running);
      if (closed || slots() === 0 || performance.now() > staleAtMs) return;
      const next = lanes.takeNext(waiting);
      run(next.lane, () => work(next.id));
    }
  };
  const workOnAll = async (handleTogether: (documents: T[]) => Promise<void>, ids: readonly T['_id'][]) => {
    const claimed = await claimTogether(collection, ids, clock.now(), options.leaseMs);
    while (running.size > 0 && running.size >= slots()) await Promise.race(running);
    if (!closed) run('', () => handleTogether(claimed));
  };
  const loop = async () => {
    while (!closed) {
      woken = false;
      let found = 0;
      try {
        const due = slots() === 0 ? [] : await candidates(collection, clock.now(), fairBy);
        found = due.length;
        const ids = due.map(({ id }) => id);
        if (options.handleTogether === undefined || found === 1) await workOnEach(due);
        else if (found > 0) await workOnAll(options.handleTogether, ids);
      } catch (error) {
        log.warn({ err: error, collection: collection.collectionName }, 'could not look for due documents');
      }
      if (found < CANDIDATES && !woken && !closed) await pause(options.pollMs ?? 500);
    }
  };
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const looping = loop();
  return {
    poke,
    async close() {
      closed = true;
      stopListening();
      wake?.();
      await looping;
      await Promise.all(running);
    },
  };
}

type Candidate<T extends Document> = { id: T['_id']; lane: string };

/**
 * Those that have been due for longest, in random order. Where there are more than that, and all of a few lanes, also the first of
 * the other lanes.
 */
async function candidates<T extends Due & Document>(
  collection: Collection<T>,
  nowMs: number,
  fairBy: (keyof T & string) | undefined,
): Promise<Candidate<T>[]> {
  const due = { due_at: { $type: 'date', $lte: new Date(nowMs) }, $expr: leaseIsOver };
  const projection = { _id: 1, ...(fairBy !== undefined && { [fairBy]: 1 }) };
  const read = async (filter: Document) => {
    const cursor = collection
      .find(filter as Filter<T>, { projection })
      .sort({ due_at: 1 })
      .limit(CANDIDATES);
    const found = await traced('find', collection.collectionName, () => cursor.toArray());
    return found.map((document): Candidate<T> => {
      const lane = fairBy === undefined ? '' : String(Reflect.get(document, fairBy));
      return { id: document._id as T['_id'], lane };
    });
  };
  const first = await read(due);
  if (fairBy === undefined || first.length < CANDIDATES) return shuffled(first);
  const others = await read({ ...due, [fairBy]: { $nin: [...new Set(first.map(({ lane }) => lane))] } });
  return shuffled([...first, ...others]);
}

function shuffled<Item>(items: Item[]): Item[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    const [a, b] = [items[i], items[j]];
    if (a !== undefined && b !== undefined) [items[i], items[j]] = [b, a];
  }
  return items;
}

/** Who has how many at work. */
function openLanes() {
  const atWork = new Map<string, number>();
  const countOf = (lane: string) => atWork.get(lane) ?? 0;
  return {
    enter: (lane: string) => atWork.set(lane, countOf(lane) + 1),
    leave(lane: string) {
      if (countOf(lane) > 1) atWork.set(lane, countOf(lane) - 1);
      else atWork.delete(lane);
    },
    /** Takes the next one out of those that wait: of the lane that has the fewest at work. */
    takeNext<Item extends { lane: string }>(waiting: Item[]): Item {
      let best = 0;
      for (const [index, { lane }] of waiting.entries()) if (countOf(lane) < countOf(waiting[best]?.lane ?? '')) best = index;
      const [taken] = waiting.splice(best, 1);
      if (taken === undefined) throw new Error('nothing waits');
      return taken;
    },
  };
}

const leaseIsOver = { $lte: [{ $ifNull: ['$lease_until', new Date(0)] }, '$$NOW'] };

async function claim<T extends Due & Document>(
  collection: Collection<T>,
  id: T['_id'],
  nowMs: number,
  leaseMs: number,
): Promise<T | undefined> {
  const filter = { _id: id, due_at: { $lte: new Date(nowMs) }, $expr: leaseIsOver } as unknown as Filter<T>;
  const lease = [{ $set: { lease_until: { $add: ['$$NOW', leaseMs] } } }] as unknown as UpdateFilter<T>[];
  const claimed = await traced('findOneAndUpdate', collection.collectionName, () =>
    collection.findOneAndUpdate(filter, lease, { returnDocument: 'after' }),
  );
  return (claimed ?? undefined) as T | undefined;
}

/**
 * Claims those of the candidates that are still free. Another replica's claim of the same ones leaves each document to one of the
 * two.
 */
async function claimTogether<T extends Due & Document>(
  collection: Collection<T>,
  ids: readonly T['_id'][],
  nowMs: number,
  leaseMs: number,
): Promise<T[]> {
  const token = randomUUID();
  const free = { _id: { $in: ids }, due_at: { $lte: new Date(nowMs) }, $expr: leaseIsOver } as unknown as Filter<T>;
  const lease = [{ $set: { lease_until: { $add: ['$$NOW', leaseMs] }, lease_by: token } }] as unknown as UpdateFilter<T>[];
  await traced('updateMany', collection.collectionName, () => collection.updateMany(free, lease));
  const claimed = { _id: { $in: ids }, lease_by: token } as unknown as Filter<T>;
  return (await traced('find', collection.collectionName, () => collection.find(claimed).toArray())) as T[];
}
