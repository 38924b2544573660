import type { Clock } from '@gerbang/core';
import type { Implementation } from '@gerbang/rpc';
import type { Closeable, Logger, Registry } from '@gerbang/runtime';
import type { AfterWrite, Store } from '@gerbang/store';
import type { Bus } from './bus.ts';
import { implementEventSource } from './event-source.ts';
import { type Lag, watchLag } from './lag.ts';
import { createPublisher } from './publisher.ts';
import { createRecentTails } from './recent-tails.ts';
import { startSweep } from './sweep.ts';

/** Publications right after a write that may be under way at once; what comes on top of them is left to the sweep. */
const UNDER_WAY_MAX = 1_024;
/**
 * With so many messages waiting for the notifier nothing more is published right after its write: it stays in its tail, where a
 * backlog costs no memory and is published in the order of time, and what is written once the notifier is there again does not
 * wait behind all of it.
 */
const LAG_MAX = 1_000;

/** Publishes the unconfirmed tails of a service's aggregates. */
export type Relay = Closeable & {
  /** Given to `openAggregates`: publishes right after the write, without waiting. */
  afterWrite: AfterWrite;
  /**
   * Starts to look for tails that were never confirmed, in these collections; once. Gives what the service answers to the notifier,
   * which confirms their events.
   */
  serve(aggregateTypes: readonly string[]): Implementation[];
};

/**
 * The way from a service's outbox to JetStream (architecture §3). Publishing is at least once and its acknowledgement is not
 * relied on: a tail is published again, with backoff, until the notifier has confirmed it. Any number of relays may run. `clock`
 * is the one that dates events.
 */
export function createRelay(options: {
  bus: Bus;
  store: Store;
  service: string;
  clock: Clock;
  metrics?: Registry;
  log: Logger;
  /** Operators are alerted when nothing has swept for this long; default a minute. */
  stalledAfterMs?: number;
}): Relay {
  const { bus, service, log } = options;
  const { publish, close: closePublisher } = createPublisher({ bus, service });
  const lag: Lag = watchLag({ bus, service, log });
  let sweeping: Closeable | undefined;
  let underWay = 0;
  const recent = createRecentTails();
  return {
    afterWrite(type, document) {
      // Not reached, or behind: the sweep publishes it, instead of a queue that grows in memory.
      if (!bus.isConnected() || lag.known() > LAG_MAX || underWay >= UNDER_WAY_MAX) return;
      recent.note(type, document);
      underWay++;
      lag.published();
      publish(type, document)
        .catch((error: unknown) => log.debug({ err: error }, 'could not publish; the sweep will'))
        .finally(() => underWay--);
    },
    serve(aggregateTypes) {
      sweeping ??= startSweep({ ...options, aggregateTypes, publish, lag });
      return [implementEventSource(options.store, aggregateTypes, recent)];
    },
    async close() {
      lag.close();
      await sweeping?.close();
      closePublisher();
    },
  };
}
