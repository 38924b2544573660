import type { EventType } from '@gerbang/present';
import { type AfterWrite, openAggregates, type Store } from '@gerbang/store';
import { type Claims, openClaims } from './claims.ts';
import { fromDocument, type MerchantDocument, SCHEMA, type StoredMerchantDocument, toDocument, UPCASTERS } from './document.ts';
import { evolve, type Merchant, type MerchantEvent } from './merchant.ts';
import { createdEvent, publicEvents } from './message.ts';

/** A merchant as it was read, and the version that the next change is conditional on. */
export type StoredMerchant = { id: string; version: bigint; merchant: Merchant; document: StoredMerchantDocument };

export const MERCHANTS = 'merchants';

/** The merchants; `_id` = the merchant's ULID. */
export type MerchantStore = {
  claims: Claims;
  /** Undefined when the id is taken. */
  insert(id: string, merchant: Merchant, nowMs: number): Promise<StoredMerchant | undefined>;
  find(id: string): Promise<StoredMerchant | undefined>;
  findMany(ids: readonly string[]): Promise<StoredMerchant[]>;
  /** By one of its client ids. */
  findByClientId(clientId: string): Promise<StoredMerchant | undefined>;
  /** Writes the events and the state after them; undefined when the merchant has changed meanwhile. */
  apply(stored: StoredMerchant, events: readonly MerchantEvent[], nowMs: number): Promise<StoredMerchant | undefined>;
  /** In the order of creation, after a merchant id. */
  list(after: string, limit: number): Promise<StoredMerchant[]>;
};

/** Opens the collections. */
export async function openMerchantStore(store: Store, afterWrite: AfterWrite): Promise<MerchantStore> {
  const aggregates = await openAggregates<MerchantDocument, EventType<'merchant'>>(store, MERCHANTS, {
    schema: SCHEMA,
    upcasters: UPCASTERS,
    afterWrite,
  });
  const claims = openClaims(store);
  const find = async (id: string) => {
    const document = await aggregates.find(id);
    return document === undefined ? undefined : toStored(document);
  };
  return {
    claims,
    find,
    async insert(id, merchant, nowMs) {
      const document = await aggregates.insert(id, id, toDocument(merchant), [createdEvent(id, nowMs)]);
      return document === undefined ? undefined : toStored(document);
    },
    async findMany(ids) {
      const documents = await aggregates.list({ _id: { $in: [...ids] } }, {});
      return documents.map(toStored);
    },
    async findByClientId(clientId) {
      const id = await claims.merchantOfClientId(clientId);
      return id === undefined ? undefined : find(id);
    },
    async apply(stored, events, nowMs) {
      const merchant = events.reduce(evolve, stored.merchant);
      const document = await aggregates.change(stored.document, {
        set: toDocument(merchant),
        events: events.flatMap((event) => publicEvents(stored.id, event, nowMs)),
      });
      return document === undefined ? undefined : toStored(document);
    },
    async list(after, limit) {
      const documents = await aggregates.list({ _id: { $gt: after } }, { sort: { _id: 1 }, limit });
      return documents.map(toStored);
    },
  };
}

function toStored(document: StoredMerchantDocument): StoredMerchant {
  return { id: document._id, version: document.version, merchant: fromDocument(document), document };
}
