import { type Store, traced } from '@gerbang/store';
import { DELIVERIES, type DeliveryDocument, redeliveryDocument } from '../delivery/document.ts';
import { REDELIVERIES_KEPT } from '../delivery/store.ts';
import { idRangeOf, type RunFilter, type RunPart } from './redelivery-run.ts';

/** Deliveries that one call examines, so that no call takes long however few of them match. */
const EXAMINED_MAX = 2_000;

export type RedeliveryRuns = ReturnType<typeof openRedeliveryRuns>;

/** Opens the runs over many deliveries. A run finds them by the time in their ids, a part at a time. */
export function openRedeliveryRuns(store: Store) {
  const collection = store.collection<DeliveryDocument>(DELIVERIES);
  return {
    /** The next deliveries after `after` that match and that the run has not sent again yet, `limit` at most. */
    async find(filter: RunFilter, run: string, after: string | undefined, limit: number): Promise<RunPart> {
      const { id, merchantId } = filter;
      const { from, before } = idRangeOf(filter);
      const ids = { ...(after === undefined ? { $gte: from } : { $gt: after }), $lt: before };
      const found = await traced('find', DELIVERIES, () =>
        collection
          .find(
            {
              _id: id ?? ids,
              ...(merchantId !== undefined && { merchant_id: merchantId }),
              url: { $type: 'string' },
            },
            { projection: { status: 1, event: 1, endpoint: 1, redeliveries: 1 }, sort: { _id: 1 }, limit: EXAMINED_MAX },
          )
          .toArray(),
      );
      const matching = found.filter((document) => matches(document, filter) && !isOfRun(document, run));
      const part = matching.slice(0, limit);
      const last = part.length < limit ? (found.length < EXAMINED_MAX ? undefined : found.at(-1)) : part.at(-1);
      return {
        ids: part.map(({ _id }) => _id),
        // Documents of an earlier version get their endpoint, and are found, within a minute.
        endpoints: new Set(part.flatMap(({ endpoint }) => endpoint ?? [])),
        after: last?._id,
      };
    },

    /** Requests the redelivery of deliveries, due now. Those that the run has requested already stay as they are. */
    async request(ids: readonly string[], operator: string, run: string, nowMs: number): Promise<void> {
      const now = new Date(nowMs);
      const request = redeliveryDocument({ atMs: nowMs, requestedBy: { operator, run } });
      await traced('updateMany', DELIVERIES, () =>
        collection.updateMany(
          { _id: { $in: ids }, 'redeliveries.run': { $ne: run } },
          {
            $set: { redeliver_at: now },
            $min: { due_at: now },
            $inc: { version: 1 },
            $push: { redeliveries: { $each: [request], $slice: -REDELIVERIES_KEPT } },
          },
        ),
      );
    },
  };
}

function matches(document: DeliveryDocument, { event, status }: RunFilter): boolean {
  return (event === undefined || document.event === event) && (status === undefined || document.status === status);
}

function isOfRun(document: DeliveryDocument, run: string): boolean {
  return document.redeliveries?.some((request) => request.run === run) ?? false;
}
