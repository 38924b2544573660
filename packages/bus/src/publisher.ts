import { create, toBinary } from '@bufbuild/protobuf';
import { type EventBatch, EventBatchSchema } from '@gerbang/proto/gerbang/events/v1/events';
import { contextFrom, currentTraceparent, withSpan } from '@gerbang/runtime';
import type { AggregateDocument, StoredEvent } from '@gerbang/store';
import { headers } from '@nats-io/transport-node';
import type { Document } from 'mongodb';
import type { Bus } from './bus.ts';
import { type Outcome, openPublications, type Publications } from './publications.ts';
import { ensureStream } from './stream.ts';

/** A message holds no more than this of a tail, unless one event alone is larger: NATS takes no message above 1 MiB. */
const MESSAGE_BYTES_MAX = 256 * 1024;

/** What publishing reads of an aggregate. */
export type Tailed = Pick<AggregateDocument<Document>, '_id' | 'merchant_id' | 'tail'>;

/**
 * Publishes one aggregate's unconfirmed tail, or as much of its beginning as one message holds. Throws when JetStream has not
 * taken it.
 */
export type Publish = (type: string, document: Tailed) => Promise<void>;

export type Publisher = { publish: Publish; close(): void };

/** Publishes on the service's stream, which is made where it is missing. */
export function createPublisher(options: { bus: Bus; service: string }): Publisher {
  const { bus, service } = options;
  let streamReady: Promise<void> | undefined;
  let publications: Publications | undefined;

  const ensure = async () => {
    const { manager } = await bus.connected();
    streamReady ??= ensureStream(manager, service, bus.streamReplicas);
    await streamReady.catch((error: unknown) => {
      streamReady = undefined;
      throw error;
    });
  };
  const send = async (subject: string, batch: Uint8Array): Promise<Outcome> => {
    await ensure();
    const { connection } = await bus.connected();
    publications ??= openPublications(connection, bus.inboxPrefix);
    const carrier = headers();
    carrier.set('traceparent', currentTraceparent());
    return publications.publish(subject, batch, carrier);
  };
  const publish: Publish = async (type, document) => {
    const subject = `gerbang.${service}.${type}`;
    const batch = toBinary(EventBatchSchema, toBatch(service, type, document));
    // A batch may hold events of several requests; the newest one's trace leads.
    const parent = contextFrom(document.tail.at(-1)?.traceparent ?? '');
    await withSpan(`publish ${subject}`, { kind: 'PRODUCER', parent, attributes: { 'messaging.system': 'nats' } }, async () => {
      let outcome = await send(subject, batch);
      if (outcome === 'refused') {
        // The stream itself may be gone, with NATS's whole store.
        streamReady = undefined;
        outcome = await send(subject, batch);
      }
      if (outcome === 'stored') return;
      streamReady = undefined;
      throw new Error(`JetStream has ${outcome === 'refused' ? 'refused' : 'not answered'} a publication on ${subject}`);
    });
  };
  return { publish, close: () => publications?.close() };
}

function toBatch(service: string, type: string, document: Tailed): EventBatch {
  return create(EventBatchSchema, {
    service,
    aggregateType: type,
    aggregateId: document._id,
    merchantId: document.merchant_id,
    events: beginning(document.tail).map(toEvent),
  });
}

/** The first events, at least one, that fit into a message. What is left out is published once these are confirmed. */
function beginning(tail: readonly StoredEvent[]): StoredEvent[] {
  let bytes = 0;
  const end = tail.findIndex((event) => {
    bytes += event.payload.length();
    return bytes > MESSAGE_BYTES_MAX;
  });
  return end < 0 ? [...tail] : tail.slice(0, Math.max(1, end));
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
