import { RefusalError, refuse } from '@gerbang/core';
import { EventSourceService } from '@gerbang/proto/gerbang/events/v1/events';
import { type Handlers, implement } from '@gerbang/rpc';
import { type AggregateDocument, insertMissing, type Store, traced } from '@gerbang/store';
import type { Document } from 'mongodb';

/** Confirmations taken in one call. */
const CONFIRMATIONS_MAX = 1_000;

/** What confirming reads and writes of an aggregate. */
type Tailed = Pick<AggregateDocument<Document>, '_id' | 'merchant_id' | 'tail'>;

/** A confirmed event; the collection is the audit trail, and the timeline that support staff read. */
export type EventDocument = {
  _id: string;
  merchant_id: string;
  seq: bigint;
  event: string;
  schema: number;
  at: Date;
  traceparent: string;
  payload: unknown;
};

/**
 * Serves confirmations for a service's aggregates: events that the notifier has stored move from the tails to `events`, first copied, then pulled,
 * without touching the aggregates' versions (architecture §3). Idempotent. Refusals: validation (unknown aggregate type, too many at once).
 */
export function implementEventSource(store: Store, aggregateTypes: readonly string[]) {
  const events = store.collection<EventDocument>('events');
  const handlers: Handlers<typeof EventSourceService> = {
    async confirm({ confirmations }) {
      if (confirmations.length > CONFIRMATIONS_MAX)
        throw new RefusalError(refuse('validation', { message: 'confirmations: too many' }));
      for (const type of new Set(confirmations.map((confirmation) => confirmation.aggregateType))) {
        if (!aggregateTypes.includes(type))
          throw new RefusalError(refuse('validation', { message: `aggregate_type: ${type} is unknown` }));
        const upTo = new Map<string, bigint>();
        for (const { aggregateType, aggregateId, upToSeq } of confirmations) {
          if (aggregateType === type && upToSeq > (upTo.get(aggregateId) ?? 0n)) upTo.set(aggregateId, upToSeq);
        }
        await confirmType(store, events, type, upTo);
      }
      return {};
    },
  };
  return implement(EventSourceService, handlers, ['notifier']);
}

async function confirmType(
  store: Store,
  events: ReturnType<typeof store.collection<EventDocument>>,
  type: string,
  upTo: ReadonlyMap<string, bigint>,
): Promise<void> {
  const aggregates = store.collection<Tailed>(type);
  const found = await traced('find', type, () =>
    aggregates.find({ _id: { $in: [...upTo.keys()] } }, { projection: { merchant_id: 1, tail: 1 } }).toArray(),
  );
  const confirmed = found.flatMap((document) =>
    document.tail
      .filter((event) => event.seq <= (upTo.get(document._id) ?? 0n))
      .map(({ seq, ...event }) => ({ _id: `${type}:${document._id}:${seq}`, merchant_id: document.merchant_id, seq, ...event })),
  );
  if (confirmed.length === 0) return;
  // Those copied by an earlier, interrupted confirmation are there already.
  await insertMissing(events, confirmed);
  await traced('bulkWrite', type, () =>
    aggregates.bulkWrite(
      found.map((document) => ({
        updateOne: {
          filter: { _id: document._id },
          update: { $pull: { tail: { seq: { $lte: upTo.get(document._id) ?? 0n } } } },
        },
      })),
      { ordered: false },
    ),
  );
}
