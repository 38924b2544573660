import { ulidFrom } from '@gerbang/core';
import { type Store, traced } from '@gerbang/store';
import type { DeliveryState } from './delivery.ts';
import { type DeliveryDocument, redeliveryDocument } from './document.ts';
import { REDELIVERIES_KEPT } from './store.ts';

/** Looked at in one call, so that none takes long however few of them fit. */
const EXAMINED_MAX = 2_000;

/** Which webhooks are sent again; what is undefined does not matter. Times are those of the events, both included. */
export type Wanted = {
  fromMs: number;
  toMs: number;
  event: string | undefined;
  merchantId: string | undefined;
  id: string | undefined;
  status: DeliveryState['status'] | undefined;
};

/** A part of a run: what fits, and where the next part begins, undefined when there is none. */
export type Part = { ids: string[]; endpoints: Set<string>; after: string | undefined };

/** Runs over many deliveries: found by the time that their ids carry, a part at a time. */
export function openRedeliveryRuns(store: Store) {
  const collection = store.collection<DeliveryDocument>('deliveries');
  return {
    /** The next deliveries after `after` that fit and that the run has not had sent already, `limit` at most. */
    async find(wanted: Wanted, run: string, after: string | undefined, limit: number): Promise<Part> {
      const { id, merchantId } = wanted;
      const from = after === undefined ? { $gte: firstIdAt(wanted.fromMs) } : { $gt: after };
      const found = await traced('find', 'deliveries', () =>
        collection
          .find(
            {
              _id: id ?? { ...from, $lt: firstIdAt(wanted.toMs + 1) },
              ...(merchantId !== undefined && { merchant_id: merchantId }),
              url: { $type: 'string' },
            },
            { projection: { status: 1, event: 1, endpoint: 1, redeliveries: 1 }, sort: { _id: 1 }, limit: EXAMINED_MAX },
          )
          .toArray(),
      );
      const fitting = found.filter((document) => fits(document, wanted) && !isOfRun(document, run));
      const part = fitting.slice(0, limit);
      const last = part.length < limit ? (found.length < EXAMINED_MAX ? undefined : found.at(-1)) : part.at(-1);
      return {
        ids: part.map(({ _id }) => _id),
        // What the version before has stored names none yet; it is named, and found, within a minute.
        endpoints: new Set(part.flatMap(({ endpoint }) => endpoint ?? [])),
        after: last?._id,
      };
    },

    /** Has the deliveries sent once more, now; those that the run has had already stay as they are. */
    async request(ids: readonly string[], operator: string, run: string, nowMs: number): Promise<void> {
      const now = new Date(nowMs);
      const wish = redeliveryDocument({ atMs: nowMs, by: { operator, run } });
      await traced('updateMany', 'deliveries', () =>
        collection.updateMany(
          { _id: { $in: ids }, 'redeliveries.run': { $ne: run } },
          {
            $set: { redeliver_at: now },
            $min: { due_at: now },
            $inc: { version: 1 },
            $push: { redeliveries: { $each: [wish], $slice: -REDELIVERIES_KEPT } },
          },
        ),
      );
    },
  };
}

function fits(document: DeliveryDocument, { event, status }: Wanted): boolean {
  return (event === undefined || document.event === event) && (status === undefined || document.status === status);
}

function isOfRun(document: DeliveryDocument, run: string): boolean {
  return document.redeliveries?.some((wish) => wish.run === run) ?? false;
}

/** No event of that time or later has a lesser id. */
function firstIdAt(ms: number): string {
  return `${ulidFrom(ms, '').slice(0, 10)}0000000000000000`;
}
