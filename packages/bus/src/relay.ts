import { create, toBinary } from '@bufbuild/protobuf';
import { type EventBatch, EventBatchSchema } from '@gerbang/proto/gerbang/events/v1/events';
import { type Closeable, contextFrom, currentTraceparent, type Logger, withSpan } from '@gerbang/runtime';
import type { AfterWrite, AggregateDocument, Store, StoredEvent } from '@gerbang/store';
import { headers } from '@nats-io/transport-node';
import type { Document } from 'mongodb';
import { type Bus, ensureStream } from './bus.ts';

const SWEEP_MS = 1_000;
/** A tail that was published is given this long to be confirmed before it is published again. */
const REPUBLISH_FIRST_MS = 3_000;
const REPUBLISH_MAX_MS = 30_000;
const SWEEP_LIMIT = 500;
const PUBLISH_TIMEOUT_MS = 5_000;

/** Publishes the unconfirmed tails of a service's aggregates. */
export type Relay = Closeable & {
  /** Given to `openAggregates`: publishes right after the write, without waiting. */
  afterWrite: AfterWrite;
  /** Starts to look for tails that were never confirmed, in these collections. */
  sweep(aggregateTypes: readonly string[]): void;
};

type Tailed = Pick<AggregateDocument<Document>, '_id' | 'merchant_id' | 'tail'>;

/**
 * The way from a service's outbox to JetStream (architecture §3). Publishing is at least once and its acknowledgement is not relied on: a tail is
 * published again, with backoff, until the notifier has confirmed it. Any number of relays may run.
 */
export function createRelay(options: { bus: Bus; store: Store; service: string; streamReplicas?: number; log: Logger }): Relay {
  const { bus, store, service, log } = options;
  /** When to publish a tail again, by aggregate; forgotten once it has been confirmed. */
  const backoff = new Map<string, { waitMs: number; nextMs: number }>();
  let streamReady: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const publish = async (type: string, document: Tailed) => {
    // Not reached yet: the sweep publishes it once NATS is there, instead of a queue that grows in memory.
    if (!bus.isConnected()) return;
    const { jetstream, manager } = await bus.connected();
    streamReady ??= ensureStream(manager, service, options.streamReplicas ?? 1);
    await streamReady.catch((error: unknown) => {
      streamReady = undefined;
      throw error;
    });
    const batch = toBinary(EventBatchSchema, toBatch(service, type, document));
    const subject = `gerbang.${service}.${type}`;
    // A batch may hold events of several requests; the newest one's trace leads.
    const parent = contextFrom(document.tail.at(-1)?.traceparent ?? '');
    try {
      await withSpan(`publish ${subject}`, { kind: 'PRODUCER', parent, attributes: { 'messaging.system': 'nats' } }, async () => {
        const carrier = headers();
        carrier.set('traceparent', currentTraceparent());
        await jetstream.publish(subject, batch, { timeout: PUBLISH_TIMEOUT_MS, headers: carrier });
      });
    } catch (error) {
      // The stream itself may be gone, with NATS's whole store: make it again before the next publication.
      streamReady = undefined;
      throw error;
    }
  };
  const publishSoon = (type: string, document: Tailed) => {
    publish(type, document).catch((error: unknown) => log.debug({ err: error }, 'could not publish; the sweep will'));
  };

  const sweepOnce = async (type: string) => {
    const found = await store
      .collection<AggregateDocument<Document>>(type)
      // The type of the time is what lets the index be used; it holds none but these documents.
      .find(
        { 'tail.at': { $type: 'date' }, 'tail.0': { $exists: true } },
        { projection: { merchant_id: 1, tail: 1 }, limit: SWEEP_LIMIT },
      )
      .toArray();
    const nowMs = performance.now();
    const seen = new Set<string>();
    for (const document of found) {
      const key = `${type}:${document._id}`;
      seen.add(key);
      const known = backoff.get(key);
      if (known === undefined) backoff.set(key, { waitMs: REPUBLISH_FIRST_MS, nextMs: nowMs + REPUBLISH_FIRST_MS });
      if (known === undefined || known.nextMs > nowMs) continue;
      backoff.set(key, { waitMs: Math.min(known.waitMs * 2, REPUBLISH_MAX_MS), nextMs: nowMs + known.waitMs });
      publishSoon(type, document);
    }
    for (const key of backoff.keys()) if (key.startsWith(`${type}:`) && !seen.has(key)) backoff.delete(key);
  };

  return {
    afterWrite: publishSoon,
    sweep(aggregateTypes) {
      const again = async () => {
        for (const type of aggregateTypes) {
          await sweepOnce(type).catch((error: unknown) =>
            log.warn({ err: error, type }, 'could not sweep for unconfirmed events'),
          );
        }
        if (!closed) timer = setTimeout(again, SWEEP_MS);
      };
      timer = setTimeout(again, 0);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

function toBatch(service: string, type: string, document: Tailed): EventBatch {
  return create(EventBatchSchema, {
    service,
    aggregateType: type,
    aggregateId: document._id,
    merchantId: document.merchant_id,
    events: document.tail.map(toEvent),
  });
}

function toEvent(event: StoredEvent) {
  return {
    seq: event.seq,
    type: event.event,
    atMs: BigInt(event.at.getTime()),
    schema: event.schema,
    payload: event.payload.value(),
    traceparent: event.traceparent,
  };
}
