import { RefusalError, refuse } from '@gerbang/core';
import { EventSourceService } from '@gerbang/proto/gerbang/events/v1/events';
import { type Handlers, implement } from '@gerbang/rpc';
import { insertMissing, type Store, traced } from '@gerbang/store';
import type { Collection } from 'mongodb';
import type { Tailed } from './publisher.ts';
import type { RecentTails } from './recent-tails.ts';

/** Confirmations taken in one call. */
const CONFIRMATIONS_MAX = 1_000;

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
 * Serves confirmations for a service's aggregates: events that the notifier has stored move from the tails to `events`, first
 * copied, then pulled, without touching the aggregates' versions (architecture §3). `recent` are the tails that this process
 * knows. Idempotent. Refusals: validation (unknown aggregate type, too many at once).
 */
export function implementEventSource(store: Store, aggregateTypes: readonly string[], recent: RecentTails) {
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
        const aggregates = store.collection<Tailed>(type);
        const tails = await tailsOf(aggregates, recent, upTo);
        await moveEvents(aggregates, events, confirmedOf(tails, upTo));
      }
      return {};
    },
  };
  return implement(EventSourceService, handlers, ['notifier']);
}

/** The aggregates that are known here, and the others as they are stored. */
async function tailsOf(
  aggregates: Collection<Tailed>,
  recent: RecentTails,
  upTo: ReadonlyMap<string, bigint>,
): Promise<Tailed[]> {
  const type = aggregates.collectionName;
  const known: Tailed[] = [];
  const unknown: string[] = [];
  for (const [id, seq] of upTo) {
    const written = recent.take(type, id, seq);
    if (written === undefined) unknown.push(id);
    else known.push(written);
  }
  if (unknown.length === 0) return known;
  const stored = await traced('find', type, () =>
    aggregates.find({ _id: { $in: unknown } }, { projection: { merchant_id: 1, tail: 1 } }).toArray(),
  );
  return [...known, ...stored];
}

/** The aggregates with those of their events that are confirmed, where there are any. */
function confirmedOf(tails: readonly Tailed[], upTo: ReadonlyMap<string, bigint>): Tailed[] {
  return tails
    .map((one) => ({ ...one, tail: one.tail.filter(({ seq }) => seq <= (upTo.get(one._id) ?? 0n)) }))
    .filter(({ tail }) => tail.length > 0);
}

async function moveEvents(
  aggregates: Collection<Tailed>,
  events: Collection<EventDocument>,
  confirmed: readonly Tailed[],
): Promise<void> {
  if (confirmed.length === 0) return;
  const type = aggregates.collectionName;
  // Those copied by an earlier, interrupted confirmation are there already.
  await insertMissing(
    events,
    confirmed.flatMap(({ _id, merchant_id, tail }) =>
      tail.map(({ seq, ...event }) => ({ _id: `${type}:${_id}:${seq}`, merchant_id, seq, ...event })),
    ),
  );
  // Aggregates of one kind mostly have as many events as each other, so one statement does for many of them.
  const bySeq = Map.groupBy(confirmed, ({ tail }) => tail.at(-1)?.seq ?? 0n);
  await traced('bulkWrite', type, () =>
    aggregates.bulkWrite(
      [...bySeq].map(([seq, copied]) => ({
        updateMany: {
          filter: { _id: { $in: copied.map(({ _id }) => _id) } },
          update: { $pull: { tail: { seq: { $lte: seq } } } },
        },
      })),
      { ordered: false },
    ),
  );
}
