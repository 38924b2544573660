import { RefusalError, refuse } from '@gerbang/core';
import type { Lease } from '../lease/lease.ts';
import type { LeaseStore } from '../lease/store.ts';
import { openPartition, type Partition, type PartitionContext } from './partition.ts';

/** Another instance owns the partition; with its address a client finds its way there. The cause of an `unavailable`. */
export class HeldElsewhere extends Error {
  readonly address: string;

  constructor(partition: string, instance: string, address: string) {
    super(`partition ${partition} is with ${instance} at ${address}`);
    this.name = 'HeldElsewhere';
    this.address = address;
  }
}

/** The partitions in the hands of this instance. */
export type Partitions = {
  /**
   * The partition, taken over first when nobody holds it; waits for that until `signal` aborts.
   * Refusals: unavailable (another instance holds it, the lease is not ours now, or the database is away), timeout.
   */
  get(name: string, signal: AbortSignal): Promise<Partition>;
  /** Takes up again what the instance owned before a restart. */
  resume(): Promise<void>;
  /** Every partition that there is, whoever holds it. */
  names(): Promise<string[]>;
  /** Gives all of them up at once, because the lease is another's. */
  stepDown(): void;
  close(): Promise<void>;
};

export function createPartitions(context: PartitionContext, leases: LeaseStore, lease: () => Lease | undefined): Partitions {
  const { log } = context;
  const closing = new AbortController();
  const open = new Map<string, Partition>();
  const opening = new Map<string, Promise<Partition>>();
  /** Counts the losses of the lease: what was claimed before one does not count after it. */
  let generation = 0;

  const drop = (partition: Partition) => {
    if (open.get(partition.name) === partition) open.delete(partition.name);
    partition.stepDown();
  };
  const takeOver = async (name: string): Promise<Partition> => {
    const held = lease();
    if (held === undefined || !held.isValid() || closing.signal.aborted) throw unavailable();
    const startedIn = generation;
    const claim = await leases.claim(held.holder(), name);
    if ('heldBy' in claim) throw unavailable(new HeldElsewhere(name, claim.heldBy, claim.address));
    const fenced = () => {
      const current = open.get(name);
      if (current?.epoch === claim.epoch) drop(current);
    };
    const partition = await openPartition(context, name, claim.epoch, { signal: closing.signal, onFenced: fenced });
    if (partition === undefined) throw unavailable();
    if (generation !== startedIn || closing.signal.aborted) {
      partition.stepDown();
      throw unavailable();
    }
    open.set(name, partition);
    return partition;
  };
  const shared = (name: string): Promise<Partition> => {
    const running = opening.get(name);
    if (running !== undefined) return running;
    const taking = takeOver(name)
      .catch((error: unknown) => {
        if (error instanceof RefusalError) throw error;
        log.error({ err: error, partition: name }, 'could not take the partition over');
        throw unavailable(error);
      })
      .finally(() => opening.delete(name));
    opening.set(name, taking);
    return taking;
  };
  return {
    async get(name, signal) {
      return open.get(name) ?? (await waiting(shared(name), signal));
    },
    async resume() {
      const held = lease();
      if (held === undefined) return;
      const owned = await leases.partitionsOf(held.holder().instance);
      await Promise.allSettled(owned.map((name) => open.get(name) ?? shared(name)));
    },
    names: () => leases.partitions(),
    stepDown() {
      generation++;
      for (const partition of open.values()) drop(partition);
    },
    async close() {
      closing.abort();
      await Promise.allSettled(opening.values());
      await Promise.all([...open.values()].map((partition) => partition.close()));
      open.clear();
    },
  };
}

/** Waits for the promise until the caller has gone. */
function waiting<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new RefusalError(refuse('timeout')));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

function unavailable(cause?: unknown): RefusalError {
  return new RefusalError(refuse('unavailable', { retryAfterMs: 200 }), cause);
}
