import { dateRange, type Store, traced } from '@gerbang/store';
import { DELIVERIES, type DeliveryDocument, newDocument } from '../delivery/document.ts';
import type { Outcome } from '../event/outcome.ts';
import type { ReceivedEvent } from '../event/received-event.ts';
import { toUnreadable } from './document.ts';
import type { Unreadable, UnreadableFilter } from './unreadable-event.ts';

/** A page of unreadable events, in the order of their ids; `after` is an id. */
export type UnreadableQuery = UnreadableFilter & { after: string | undefined; limit: number };

export type UnreadableStore = Awaited<ReturnType<typeof openUnreadableStore>>;

/** Opens the events among the deliveries that cannot be read or rendered. */
export async function openUnreadableStore(store: Store) {
  const collection = store.collection<DeliveryDocument>(DELIVERIES);
  await collection.createIndex({ status: 1, _id: 1 }, { name: 'unreadable', partialFilterExpression: { status: 'unreadable' } });
  return {
    /** In the order of their ids, which for events is the order of time. */
    async list({ id, service, type, fromMs, toMs, after, limit }: UnreadableQuery): Promise<Unreadable[]> {
      const at = dateRange(fromMs, toMs);
      const ids = { ...(id !== undefined && { $eq: id }), ...(after !== undefined && { $gt: after }) };
      const documents = await traced('find', DELIVERIES, () =>
        collection
          .find(
            {
              status: 'unreadable',
              ...(Object.keys(ids).length > 0 && { _id: ids }),
              ...(service !== undefined && { service }),
              ...(type !== undefined && { type }),
              ...(at !== undefined && { at }),
            },
            { sort: { _id: 1 }, limit, promoteBuffers: true },
          )
          .toArray(),
      );
      return documents.map(toUnreadable);
    },

    /** Writes the outcome of an event; false when it has changed since it was read. */
    async resolve({ id, version }: Unreadable, event: ReceivedEvent, outcome: Outcome, nowMs: number): Promise<boolean> {
      const { _id, ...document } = newDocument(event, outcome, nowMs, undefined);
      const { modifiedCount } = await traced('replaceOne', DELIVERIES, () =>
        collection.replaceOne({ _id: id, status: 'unreadable', version }, { ...document, version: version + 1 }),
      );
      return modifiedCount === 1;
    },

    /** Removes a message whose events are stored. */
    async remove({ id, version }: Unreadable): Promise<void> {
      await traced('deleteOne', DELIVERIES, () => collection.deleteOne({ _id: id, status: 'unreadable', version }));
    },

    count: () => collection.countDocuments({ status: 'unreadable' }),
  };
}
