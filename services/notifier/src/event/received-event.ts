import { ulidFrom } from '@gerbang/core';
import type { EventBatch } from '@gerbang/proto/gerbang/events/v1/events';

/** An event as it came from the bus, with the id under which it is stored once and announced (X-Event-Id). */
export type ReceivedEvent = {
  eventId: string;
  service: string;
  aggregateType: string;
  aggregateId: string;
  merchantId: string;
  seq: bigint;
  type: string;
  atMs: number;
  schema: number;
  payload: Uint8Array;
  traceparent: string;
};

/** The time a ULID can carry, 48 bits. */
const TIME_MS_MAX = 2n ** 48n;

/** The events of a message; undefined when it is not a message that this service could have sent. */
export function eventsOf(service: string, batch: EventBatch): ReceivedEvent[] | undefined {
  const { aggregateType, aggregateId, merchantId } = batch;
  if (batch.service !== service || aggregateType === '' || aggregateId === '' || merchantId === '') return undefined;
  if (batch.events.some(({ seq, atMs }) => seq < 1n || atMs < 0n || atMs >= TIME_MS_MAX)) return undefined;
  return batch.events.map(({ seq, type, atMs, schema, payload, traceparent }) => ({
    eventId: eventIdOf({ service, aggregateType, aggregateId, seq, atMs: Number(atMs) }),
    service,
    aggregateType,
    aggregateId,
    merchantId,
    seq,
    type,
    atMs: Number(atMs),
    schema,
    payload,
    traceparent,
  }));
}

/** The same for the same event, always. */
export function eventIdOf(event: Pick<ReceivedEvent, 'service' | 'aggregateType' | 'aggregateId' | 'seq' | 'atMs'>): string {
  const { service, aggregateType, aggregateId, seq, atMs } = event;
  return ulidFrom(atMs, `${service}:${aggregateType}:${aggregateId}:${seq}`);
}
