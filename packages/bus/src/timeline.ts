import { RefusalError, refuseField } from '@gerbang/core';
import type { TimelineService } from '@gerbang/proto/gerbang/events/v1/events';
import type { Handlers } from '@gerbang/rpc';
import { type AggregateDocument, type Store, type StoredEvent, traced } from '@gerbang/store';
import type { Document } from 'mongodb';
import type { EventDocument } from './event-source.ts';

/** Events in one answer. */
const PAGE = 100;

type Found = Omit<StoredEvent, 'payload'> & { payload: unknown; merchant_id: string; confirmed: boolean };

/**
 * Tells operators what has happened to one of a service's aggregates: what was confirmed, and what still waits in its tail. Who
 * serves this checks who asks. Refusals: validation (unknown aggregate type).
 */
export function createTimeline(store: Store, aggregateTypes: readonly string[]): Handlers<typeof TimelineService>['listEvents'] {
  const events = store.collection<EventDocument>('events');
  const confirmedOf = async (type: string, id: string, afterSeq: bigint): Promise<Found[]> => {
    // An event's id is its aggregate's and its number, so the numbers that are asked for are the keys.
    const ids = Array.from({ length: PAGE + 1 }, (_, i) => `${type}:${id}:${afterSeq + BigInt(i) + 1n}`);
    const found = await traced('find', 'events', () => events.find({ _id: { $in: ids } }).toArray());
    return found.map((event) => ({ ...event, confirmed: true }));
  };
  const unconfirmedOf = async (type: string, id: string, afterSeq: bigint): Promise<Found[]> => {
    const document = await traced('findOne', type, () =>
      store.collection<AggregateDocument<Document>>(type).findOne({ _id: id }, { projection: { merchant_id: 1, tail: 1 } }),
    );
    return (document?.tail ?? [])
      .filter(({ seq }) => seq > afterSeq)
      .map((event) => ({ ...event, merchant_id: document?.merchant_id ?? '', confirmed: false }));
  };
  return async ({ aggregateType, aggregateId, afterSeq }) => {
    if (!aggregateTypes.includes(aggregateType))
      throw new RefusalError(refuseField('aggregate_type', `is not one of ${aggregateTypes.join(', ')}`));
    // What is confirmed in between is in both; what is confirmed before is in the first alone.
    const unconfirmed = await unconfirmedOf(aggregateType, aggregateId, afterSeq);
    const bySeq = new Map<bigint, Found>();
    for (const event of [...unconfirmed, ...(await confirmedOf(aggregateType, aggregateId, afterSeq))])
      bySeq.set(event.seq, event);
    const inOrder = [...bySeq.values()].sort((a, b) => (a.seq < b.seq ? -1 : 1));
    return { events: inOrder.slice(0, PAGE).map(toMessage), more: inOrder.length > PAGE };
  };
}

/** Without the payload: it is for machines, and may hold private data. */
function toMessage({ seq, event, at, schema, traceparent, merchant_id: merchantId, confirmed }: Found) {
  return {
    event: { seq, type: event, atMs: BigInt(at.getTime()), schema, traceparent },
    merchantId,
    confirmed,
  };
}
