import type { Clock } from '@gerbang/core';
import type { Closeable, Logger } from '@gerbang/runtime';
import type { Claims } from './claims.ts';
import type { StoredDelivery } from './delivery.ts';
import type { EndpointQueues } from './endpoint-queues.ts';
import type { Leases } from './leases.ts';

/**
 * How often the sweep goes over all endpoints. What is due waits no longer, unless thousands of endpoints have something pending.
 */
const SWEEP_EVERY_MS = 500;
/** The sweep takes at most this part of the time. */
const SWEEP_PART = 0.2;
/** Endpoints of one step of the sweep. Between the steps the puller serves the endpoints that are known to have something. */
const SWEEP_STEP = 32;
const QUERIED_TOGETHER = 8;
const CLAIMED_TOGETHER = 500;
const LABEL_EVERY_MS = 60_000;

/**
 * Finds due deliveries, endpoint by endpoint, and of each no more than its queue has room for. So the long backlog of one
 * endpoint neither delays the others nor fills the memory.
 */
export type Puller = Closeable & {
  /** Queries the endpoint's due deliveries as soon as its queue is half empty, instead of at the next sweep. */
  check(endpoint: string): void;
  /** Whether the endpoint may have more due deliveries than were taken: then new events have to wait behind them. */
  isBehind(endpoint: string): boolean;
};

export type PullerOptions = {
  claims: Claims;
  leases: Leases;
  queues: Pick<EndpointQueues, 'room' | 'isHalfEmpty'>;
  clock: Clock;
  log: Logger;
  /** Takes the claimed deliveries; `sinceMs` is a moment before the claim, monotonic. */
  dispatch(claimed: readonly StoredDelivery[], sinceMs: number): Promise<void>;
};

export function startPuller({ claims, leases, queues, clock, log, dispatch }: PullerOptions): Puller {
  const requested = new Set<string>();
  const behind = new Set<string>();
  /** Endpoints to check when their queues are half empty. */
  const deferred = new Set<string>();
  let closed = false;
  let wake: (() => void) | undefined;
  const sweep = createSweep(claims, clock);
  const stopListening = clock.onAdvance(() => {
    sweep.soon();
    wake?.();
  });

  const check = (endpoint: string) => {
    if (queues.isHalfEmpty(endpoint)) {
      requested.add(endpoint);
      wake?.();
    } else deferred.add(endpoint);
  };
  const findFor = async (endpoint: string): Promise<StoredDelivery[]> => {
    deferred.delete(endpoint);
    const room = queues.room(endpoint);
    const found = room === 0 ? [] : await claims.due(endpoint, clock.now(), room);
    if (found.length < room) behind.delete(endpoint);
    else behind.add(endpoint);
    return found.filter(({ delivery }) => !leases.holds(delivery.id));
  };
  const serve = async (endpoints: readonly string[]) => {
    const due: StoredDelivery[] = [];
    let count = 0;
    for (let i = 0; i < endpoints.length && !closed; i += QUERIED_TOGETHER) {
      const found = (await Promise.all(endpoints.slice(i, i + QUERIED_TOGETHER).map(findFor))).flat();
      count += found.length;
      due.push(...found);
      while (due.length >= CLAIMED_TOGETHER) await take(due.splice(0, CLAIMED_TOGETHER));
    }
    if (due.length > 0) await take(due);
    if (count === 0) return;
    // The queue can still be half empty when the claimed deliveries had to wait for their predecessors.
    for (const endpoint of endpoints) if (behind.has(endpoint) && queues.isHalfEmpty(endpoint)) requested.add(endpoint);
  };
  const take = async (due: readonly StoredDelivery[]) => {
    const sinceMs = performance.now();
    await dispatch(await claims.claim(due, leases.owner, clock.now()), sinceMs);
  };
  const loop = async () => {
    while (!closed) {
      const endpoints = [...requested];
      requested.clear();
      try {
        await serve(endpoints);
        await serve(await sweep.step());
      } catch (error) {
        log.warn({ err: error }, 'could not look for due deliveries');
        await pause(SWEEP_EVERY_MS);
      }
      if (requested.size === 0) await pause(sweep.restMs());
    }
  };
  const pause = async (ms: number) => {
    if (closed || ms <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    wake = resolve;
    await promise;
    wake = undefined;
    clearTimeout(timer);
  };
  const looping = loop();
  return {
    check,
    isBehind: (endpoint) => behind.has(endpoint) || deferred.has(endpoint),
    async close() {
      closed = true;
      stopListening();
      wake?.();
      await looping;
    },
  };
}

/** Goes over all endpoints that have something pending, a few at a time, again and again. */
function createSweep(claims: Claims, clock: Clock) {
  let after = '';
  let begunMs = 0;
  let nextMs = 0;
  let labelledMs = Number.NEGATIVE_INFINITY;
  const begin = async () => {
    begunMs = performance.now();
    if (begunMs - labelledMs < LABEL_EVERY_MS) return;
    while (await claims.label());
    labelledMs = performance.now();
  };
  return {
    /** The next sweep begins at once. */
    soon() {
      nextMs = 0;
    },
    restMs: () => (after === '' ? nextMs - performance.now() : 0),
    /** Those of the next few endpoints that have something due. */
    async step(): Promise<string[]> {
      if (after === '' && performance.now() < nextMs) return [];
      if (after === '') await begin();
      const due: string[] = [];
      for (let i = 0; i < SWEEP_STEP; i++) {
        const found = await claims.endpointAfter(after);
        if (found === undefined) {
          after = '';
          const nowMs = performance.now();
          nextMs = nowMs + Math.max(SWEEP_EVERY_MS, (nowMs - begunMs) * (1 / SWEEP_PART - 1));
          break;
        }
        after = found.endpoint;
        if (found.dueAtMs <= clock.now()) due.push(found.endpoint);
      }
      return due;
    },
  };
}
