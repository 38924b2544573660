import { ulidFrom } from '@gerbang/core';
import type { EventBatch } from '@gerbang/proto/gerbang/events/v1/events';

/** An event as it came from the bus. `eventId` is the id under which it is stored once, and the X-Event-Id of its webhook. */
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

/** The events of a message; undefined when this service cannot have sent it. */
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

/** The aggregate of an event, "<service>:<type>:<id>". */
export function aggregateOf({ service, aggregateType, aggregateId }: ReceivedEvent): string {
  return `${service}:${aggregateType}:${aggregateId}`;
}

/** The id of an event. The same event always has the same id. */
export function eventIdOf(event: Pick<ReceivedEvent, 'service' | 'aggregateType' | 'aggregateId' | 'seq' | 'atMs'>): string {
  const { service, aggregateType, aggregateId, seq, atMs } = event;
  return ulidFrom(atMs, `${service}:${aggregateType}:${aggregateId}:${seq}`);
}
