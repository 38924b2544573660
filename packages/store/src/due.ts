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
 */
export async function startDueTimer<T extends Due & Document>(options: {
  collection: Collection<T>;
  clock: Clock;
  log: Logger;
  handle: (document: T) => Promise<void>;
  leaseMs: number;
  pollMs?: number;
  concurrency?: number;
  handleTogether?: (documents: T[]) => Promise<void>;
}): Promise<DueTimer> {
  const { collection, clock, log } = options;
  await collection.createIndex({ due_at: 1 }, { name: 'due', partialFilterExpression: { due_at: { $type: 'date' } } });
  const concurrency = options.concurrency ?? 32;
  const running = new Set<Promise<void>>();
  let closed = false;
  let wake: (() => void) | undefined;
  let woken = false;
  const poke = () => {
    woken = true;
    wake?.();
  };
  const stopListening = clock.onAdvance(poke);

  const work = async (id: T['_id']) => {
    const claimed = await claim(collection, id, clock.now(), options.leaseMs);
    if (claimed !== undefined) await options.handle(claimed);
  };
  /** What there is to do for the candidates, each once. */
  const tasksFor = async (ids: readonly T['_id'][]): Promise<(() => Promise<void>)[]> => {
    const { handleTogether } = options;
    if (handleTogether === undefined || ids.length === 1) return ids.map((id) => () => work(id));
    const claimed = await claimTogether(collection, ids, clock.now(), options.leaseMs);
    return [() => handleTogether(claimed)];
  };
  const loop = async () => {
    while (!closed) {
      woken = false;
      let found = 0;
      try {
        const ids = await candidates(collection, clock.now());
        found = ids.length;
        for (const begin of found === 0 ? [] : await tasksFor(ids)) {
          if (closed) break;
          while (running.size >= concurrency) await Promise.race(running);
          const task: Promise<void> = begin()
            .catch((error: unknown) => log.error({ err: error, collection: collection.collectionName }, 'a timer failed'))
            .finally(() => running.delete(task));
          running.add(task);
        }
        // What a batch holds is leased, so no replica finds it again meanwhile.
        if (found > 0 && options.handleTogether === undefined) await Promise.all(running);
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

async function candidates<T extends Due & Document>(collection: Collection<T>, nowMs: number): Promise<T['_id'][]> {
  const filter = { due_at: { $type: 'date', $lte: new Date(nowMs) }, $expr: leaseIsOver } as unknown as Filter<T>;
  const found = await traced('find', collection.collectionName, () =>
    collection
      .find(filter, { projection: { _id: 1 } })
      .sort({ due_at: 1 })
      .limit(CANDIDATES)
      .toArray(),
  );
  const ids = found.map((document) => document._id as T['_id']);
  for (let i = ids.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    const [a, b] = [ids[i], ids[j]];
    if (a !== undefined && b !== undefined) [ids[i], ids[j]] = [b, a];
  }
  return ids;
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
