import { RefusalError, refuse } from '@gerbang/core';
import { within } from '@gerbang/runtime';
import type { Lease } from '../lease/lease.ts';
import type { LeaseStore } from '../lease/store.ts';
import { openPartition, type Partition, type PartitionContext } from './partition.ts';
import { planMoves, type Topology } from './spread.ts';

/** For a hand-over; with the database away it does not end by itself. */
const HAND_OVER_MS = 5_000;

/** The partitions in the hands of this instance. */
export type Partitions = {
  /**
   * The partition, taken over first when no instance holds it; waits for that until `signal` aborts. Refusals: not_owner (another
   * instance holds it; `owner` is its address), unavailable (the lease is not ours now, the partition is just being handed over,
   * or the database is away), timeout.
   */
  get(name: string, signal: AbortSignal): Promise<Partition>;
  /** The partition where it is in the hands of this instance already. */
  held(name: string): Partition | undefined;
  /** Whether the partition is still in the hands of this instance. */
  holds(partition: Partition): boolean;
  /** Who runs, and who owns what. */
  topology(): Promise<Topology>;
  /** Brings this instance's share nearer to what the rule of spread.ts says: takes over, and hands over at most one partition. */
  spread(): Promise<void>;
  /** Hands everything over to the instances that go on, so that clients need not wait for a lease to end. */
  leave(): Promise<void>;
  /** Gives all of them up at once, because the lease is another's. */
  stepDown(): void;
  close(): Promise<void>;
};

export function createPartitions(context: PartitionContext, leases: LeaseStore, lease: () => Lease | undefined): Partitions {
  const { log } = context;
  const closing = new AbortController();
  const open = new Map<string, Partition>();
  const opening = new Map<string, Promise<Partition>>();
  const leaving = new Set<string>();
  let retiring = false;
  /** Counts the losses of the lease: what was claimed before one does not count after it. */
  let generation = 0;

  const drop = (partition: Partition) => {
    if (open.get(partition.name) === partition) open.delete(partition.name);
    partition.stepDown();
  };
  const takeOver = async (name: string): Promise<Partition> => {
    const held = lease();
    if (held === undefined || !held.isValid() || retiring || leaving.has(name)) throw unavailable();
    const startedIn = generation;
    const claim = await leases.claim(held.holder(), name);
    if ('heldBy' in claim) throw claim.address === '' ? unavailable() : notOwner(claim.address);
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
  /**
   * Answers what waits, then makes `to` the owner; until that is written calls are refused as unavailable, so that they come
   * again.
   */
  const handOver = async (partition: Partition, to: string): Promise<void> => {
    const { name, epoch } = partition;
    const held = lease();
    if (held === undefined || open.get(name) !== partition) return;
    leaving.add(name);
    open.delete(name);
    try {
      await within(HAND_OVER_MS, partition.putDown());
      const given = await within(HAND_OVER_MS, leases.give(held.holder(), name, epoch, to));
      log.info({ partition: name, to, given }, 'the partition is handed over');
    } catch (error) {
      // The next instance that is asked for it claims it, this one or another.
      partition.stepDown();
      log.warn({ err: error, partition: name, to }, 'the partition could not be handed over');
    } finally {
      leaving.delete(name);
    }
  };
  return {
    async get(name, signal) {
      return open.get(name) ?? (await waiting(shared(name), signal));
    },
    held: (name) => open.get(name),
    holds: (partition) => open.get(partition.name) === partition && (lease()?.isValid() ?? false),
    topology: leases.topology,
    async spread() {
      const held = lease();
      if (held === undefined || !held.isValid() || retiring) return;
      const { hold, give } = planMoves(held.holder().instance, await leases.topology());
      await Promise.allSettled(hold.map((name) => open.get(name) ?? shared(name)));
      const partition = give === undefined ? undefined : open.get(give.partition);
      if (give !== undefined && partition !== undefined) await handOver(partition, give.to);
    },
    async leave() {
      retiring = true;
      const held = lease();
      if (held === undefined || !held.isValid()) return;
      await within(HAND_OVER_MS, leases.retire(held.holder()));
      // Without this instance among them, its partitions are orphans to the rule.
      const topology = await within(HAND_OVER_MS, leases.topology());
      const heirs = topology.instances.map(({ id }) => ({ id, hold: planMoves(id, topology).hold }));
      await Promise.all(
        [...open.values()].map(async (partition) => {
          const heir = heirs.find(({ hold }) => hold.includes(partition.name));
          if (heir !== undefined) await handOver(partition, heir.id);
        }),
      );
    },
    stepDown() {
      generation++;
      for (const partition of open.values()) drop(partition);
    },
    async close() {
      retiring = true;
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

function notOwner(address: string): RefusalError {
  return new RefusalError(refuse('not_owner', { owner: address }));
}
