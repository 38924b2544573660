import type { Clock } from '@gerbang/core';
import type { Closeable, Logger } from '@gerbang/runtime';
import type { Claims } from './claims.ts';
import type { StoredDelivery } from './document.ts';
import type { Lanes } from './lanes.ts';
import type { Leases } from './leases.ts';

/** How often all endpoints are looked over; what is due is so late at the most, unless there are thousands of endpoints with something pending. */
const SWEEP_EVERY_MS = 500;
/** Looking over takes at most this part of the time. */
const SWEEP_PART = 0.2;
/** Endpoints looked over before those are served again that are known to have something. */
const SWEEP_STEP = 32;
const ASKED_TOGETHER = 8;
const CLAIMED_TOGETHER = 500;
const LABEL_EVERY_MS = 60_000;

/**
 * Finds due deliveries, endpoint by endpoint and no more of each than its lane has room for, so that a long backlog of one is neither in the way of the
 * others nor in memory.
 */
export type Puller = Closeable & {
  /** Looks for due deliveries of the endpoint as soon as its lane has run half empty, instead of at the next look over all. */
  look(endpoint: string): void;
  /** Whether the endpoint may have more that is due than was taken: then new events line up behind it. */
  isBehind(endpoint: string): boolean;
};

export type PullerOptions = {
  claims: Claims;
  leases: Leases;
  lanes: Pick<Lanes, 'room' | 'isHalfEmpty'>;
  clock: Clock;
  log: Logger;
  /** Takes what was claimed; `sinceMs` is a moment before the claim, monotonic. */
  dispatch(claimed: readonly StoredDelivery[], sinceMs: number): Promise<void>;
};

export function startPuller({ claims, leases, lanes, clock, log, dispatch }: PullerOptions): Puller {
  const asked = new Set<string>();
  const behind = new Set<string>();
  /** To be looked for when their lanes have run half empty. */
  const later = new Set<string>();
  let closed = false;
  let wake: (() => void) | undefined;
  const sweep = createSweep(claims, clock);
  const stopListening = clock.onAdvance(() => {
    sweep.soon();
    wake?.();
  });

  const look = (endpoint: string) => {
    if (lanes.isHalfEmpty(endpoint)) {
      asked.add(endpoint);
      wake?.();
    } else later.add(endpoint);
  };
  const findFor = async (endpoint: string): Promise<StoredDelivery[]> => {
    later.delete(endpoint);
    const room = lanes.room(endpoint);
    const found = room === 0 ? [] : await claims.due(endpoint, clock.now(), room);
    if (found.length < room) behind.delete(endpoint);
    else behind.add(endpoint);
    return found.filter(({ delivery }) => !leases.holds(delivery.id));
  };
  const serve = async (endpoints: readonly string[]) => {
    const due: StoredDelivery[] = [];
    let count = 0;
    for (let i = 0; i < endpoints.length && !closed; i += ASKED_TOGETHER) {
      const found = (await Promise.all(endpoints.slice(i, i + ASKED_TOGETHER).map(findFor))).flat();
      count += found.length;
      due.push(...found);
      while (due.length >= CLAIMED_TOGETHER) await take(due.splice(0, CLAIMED_TOGETHER));
    }
    if (due.length > 0) await take(due);
    // What was claimed may all have had to wait for its predecessors.
    if (count > 0) for (const endpoint of endpoints) if (behind.has(endpoint) && lanes.isHalfEmpty(endpoint)) asked.add(endpoint);
  };
  const take = async (due: readonly StoredDelivery[]) => {
    const sinceMs = performance.now();
    await dispatch(await claims.claim(due, leases.owner, clock.now()), sinceMs);
  };
  const loop = async () => {
    while (!closed) {
      const endpoints = [...asked];
      asked.clear();
      try {
        await serve(endpoints);
        await serve(await sweep.step());
      } catch (error) {
        log.warn({ err: error }, 'could not look for due deliveries');
        await pause(SWEEP_EVERY_MS);
      }
      if (asked.size === 0) await pause(sweep.restMs());
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
    look,
    isBehind: (endpoint) => behind.has(endpoint) || later.has(endpoint),
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
    /** The next look over begins at once. */
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
