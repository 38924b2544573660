import { type Store, traced } from '@gerbang/store';
import { type EndpointDocument, toFailingEndpoint } from './document.ts';
import type { FailingEndpoint } from './failing-endpoint.ts';

const ENDPOINTS = 'endpoints';
const ENDPOINTS_MAX = 10_000;

export type FailingEndpointStore = Awaited<ReturnType<typeof openFailingEndpointStore>>;

/** Opens the endpoints that fail. All replicas share them, and they survive restarts. */
export async function openFailingEndpointStore(store: Store) {
  const collection = store.collection<EndpointDocument>(ENDPOINTS);
  await collection.createIndex({ failing_since: 1 }, { name: 'failing' });
  return {
    async list(): Promise<FailingEndpoint[]> {
      const found = await traced('find', ENDPOINTS, () =>
        collection.find({ failing_since: { $type: 'date' } }, { limit: ENDPOINTS_MAX }).toArray(),
      );
      return found.map(toFailingEndpoint);
    },

    /** Writes that an endpoint fails. Its first failure stays where one is stored. */
    async fail(endpoint: string, firstMs: number, lastMs: number): Promise<void> {
      await traced('updateOne', ENDPOINTS, () =>
        collection.updateOne(
          { _id: endpoint },
          { $setOnInsert: { schema: 1, failing_since: new Date(firstMs) }, $max: { last_failed_at: new Date(lastMs) } },
          { upsert: true },
        ),
      );
    },

    /** Removes an endpoint that has acknowledged at `atMs`, unless it began to fail later; returns what is removed. */
    async recover(endpoint: string, atMs: number): Promise<FailingEndpoint | undefined> {
      const removed = await traced('findOneAndDelete', ENDPOINTS, () =>
        collection.findOneAndDelete({ _id: endpoint, failing_since: { $lte: new Date(atMs) } }),
      );
      return removed === null ? undefined : toFailingEndpoint(removed);
    },

    /** Removes an endpoint, unless it has failed again. */
    async forget({ endpoint, lastFailedAtMs }: FailingEndpoint): Promise<void> {
      await traced('deleteOne', ENDPOINTS, () =>
        collection.deleteOne({ _id: endpoint, last_failed_at: new Date(lastFailedAtMs) }),
      );
    },

    /** Claims the alert on an endpoint: true for one of the replicas that try at the same time. */
    async claimAlert({ endpoint, alertedAtMs }: FailingEndpoint, nowMs: number): Promise<boolean> {
      const unchanged = alertedAtMs === undefined ? { $exists: false } : new Date(alertedAtMs);
      const { matchedCount } = await traced('updateOne', ENDPOINTS, () =>
        collection.updateOne({ _id: endpoint, alerted_at: unchanged }, { $set: { alerted_at: new Date(nowMs) } }),
      );
      return matchedCount === 1;
    },
  };
}
