import { dateRange, type Store, traced } from '@gerbang/store';
import { type DeliveryDocument, type Fate, newDocument, present } from '../delivery/document.ts';
import type { ReceivedEvent } from './received-event.ts';

/** Which unreadable events; `after` is an id. */
export type UnreadableQuery = {
  id: string | undefined;
  service: string | undefined;
  type: string | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
  after: string | undefined;
  limit: number;
};

/** Either an event whose payload cannot be read or rendered, or a whole message of a service that cannot be read. */
export type Unreadable = { id: string; service: string; atMs: number; reason: string; version: number } & (
  | { kind: 'event'; event: ReceivedEvent; aggregate: string }
  | { kind: 'message'; bytes: Uint8Array }
);

export type UnreadableStore = Awaited<ReturnType<typeof openUnreadableStore>>;

/** The events among the deliveries that could not be read or rendered. */
export async function openUnreadableStore(store: Store) {
  const collection = store.collection<DeliveryDocument>('deliveries');
  await collection.createIndex({ status: 1, _id: 1 }, { name: 'unreadable', partialFilterExpression: { status: 'unreadable' } });
  return {
    /** In the order of their ids, which for events is that of time. */
    async list({ id, service, type, fromMs, toMs, after, limit }: UnreadableQuery): Promise<Unreadable[]> {
      const at = dateRange(fromMs, toMs);
      const ids = { ...(id !== undefined && { $eq: id }), ...(after !== undefined && { $gt: after }) };
      const documents = await traced('find', 'deliveries', () =>
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

    /** Writes what has become of an event, if it still stands as it was read. */
    async settle({ id, version }: Unreadable, event: ReceivedEvent, fate: Fate, nowMs: number): Promise<boolean> {
      const { _id, ...document } = newDocument(event, fate, nowMs, undefined);
      const { modifiedCount } = await traced('replaceOne', 'deliveries', () =>
        collection.replaceOne({ _id: id, status: 'unreadable', version }, { ...document, version: version + 1 }),
      );
      return modifiedCount === 1;
    },

    /** Removes a message whose events are stored. */
    async remove({ id, version }: Unreadable): Promise<void> {
      await traced('deleteOne', 'deliveries', () => collection.deleteOne({ _id: id, status: 'unreadable', version }));
    },

    count: () => collection.countDocuments({ status: 'unreadable' }),

    /** What became of events, whatever it is, by their ids. */
    async fates(ids: readonly string[]): Promise<Map<string, { status: string; reason: string }>> {
      const found = await traced('find', 'deliveries', () =>
        collection.find({ _id: { $in: [...ids] } }, { projection: { status: 1, reason: 1 } }).toArray(),
      );
      return new Map(found.map(({ _id, status, reason }) => [_id, { status, reason: reason ?? '' }]));
    },
  };
}

function toUnreadable(document: DeliveryDocument): Unreadable {
  const { _id: id, service, version } = document;
  // Messages of the version before have no time.
  const common = { id, service, version, atMs: document.at?.getTime() ?? 0, reason: present(document, 'reason') };
  const bytes = present(document, 'payload');
  if (document.aggregate === undefined) return { ...common, kind: 'message', bytes };
  const [, aggregateType = '', ...rest] = document.aggregate.split(':');
  const event: ReceivedEvent = {
    eventId: id,
    service,
    aggregateType,
    aggregateId: rest.join(':'),
    merchantId: present(document, 'merchant_id'),
    seq: present(document, 'seq'),
    type: present(document, 'type'),
    atMs: present(document, 'at').getTime(),
    schema: present(document, 'event_schema'),
    payload: bytes,
    traceparent: present(document, 'traceparent'),
  };
  return { ...common, kind: 'event', event, aggregate: document.aggregate };
}
