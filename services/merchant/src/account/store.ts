import type { EventType } from '@gerbang/present';
import { type AfterWrite, dateRange, openAggregates, type Store } from '@gerbang/store';
import { type Account, type AccountEvent, evolve } from './account.ts';
import { type AccountDocument, fromDocument, SCHEMA, type StoredAccountDocument, toDocument } from './document.ts';
import { toEvent, toMessage } from './message.ts';

/** An account as it was read, and the version that the next change is conditional on. */
export type StoredAccount = {
  id: string;
  merchantId: string;
  version: bigint;
  account: Account;
  document: StoredAccountDocument;
};

export const ACCOUNTS = 'accounts';

/** The accounts of all merchants; `_id` = the account's ULID. */
export type AccountStore = {
  /** Undefined when the id is taken. */
  insert(id: string, merchantId: string, account: Account, nowMs: number): Promise<StoredAccount | undefined>;
  /** Of any merchant: the caller compares it, because another merchant's account has its own refusal. */
  find(id: string, options?: { linearizable: boolean }): Promise<StoredAccount | undefined>;
  /** The merchant's own, newest first. */
  list(query: AccountQuery): Promise<StoredAccount[]>;
  /** The oldest first, at most 1,000 for each merchant asked for. */
  listOf(merchantIds: readonly string[]): Promise<StoredAccount[]>;
  /** Writes the events and the state after them; undefined when the account has changed meanwhile. */
  apply(stored: StoredAccount, events: readonly AccountEvent[], nowMs: number): Promise<StoredAccount | undefined>;
};

/** `before` is an account id; `status` as merchants see it, so that frozen outweighs the merchant's own switch. */
export type AccountQuery = {
  merchantId: string;
  limit: number;
  before: string | undefined;
  status: 'active' | 'inactive' | 'frozen' | undefined;
  merchantReffNo: string | undefined;
  fromMs: number | undefined;
  toMs: number | undefined;
};

const statusFilters = {
  active: { frozen: false, active: true },
  inactive: { frozen: false, active: false },
  frozen: { frozen: true },
} as const;

/** Accounts that an answer lists for each merchant at the most. */
const LISTED_MAX = 1_000;

/** Opens the collection. */
export async function openAccountStore(store: Store, afterWrite: AfterWrite): Promise<AccountStore> {
  const aggregates = await openAggregates<AccountDocument, EventType<'merchant'>>(store, ACCOUNTS, {
    schema: SCHEMA,
    afterWrite,
  });
  await aggregates.collection.createIndex({ merchant_id: 1, _id: 1 }, { name: 'of-merchant' });
  return {
    async insert(id, merchantId, account, nowMs) {
      const event = toEvent('account.created', toMessage(id, merchantId, 1n, account), nowMs);
      const document = await aggregates.insert(id, merchantId, toDocument(account), [event]);
      return document === undefined ? undefined : toStored(document);
    },
    async find(id, options) {
      const document = await aggregates.find(id, options);
      return document === undefined ? undefined : toStored(document);
    },
    async list({ merchantId, limit, before, status, merchantReffNo, fromMs, toMs }) {
      const createdAt = dateRange(fromMs, toMs);
      const documents = await aggregates.list(
        {
          merchant_id: merchantId,
          ...(before !== undefined && { _id: { $lt: before } }),
          ...(status !== undefined && statusFilters[status]),
          ...(merchantReffNo !== undefined && { merchant_reff_no: merchantReffNo }),
          ...(createdAt !== undefined && { created_at: createdAt }),
        },
        { sort: { _id: -1 }, limit },
      );
      return documents.map(toStored);
    },
    async listOf(merchantIds) {
      const documents = await aggregates.list(
        { merchant_id: { $in: [...merchantIds] } },
        { sort: { merchant_id: 1, _id: 1 }, limit: LISTED_MAX * merchantIds.length },
      );
      return documents.map(toStored);
    },
    async apply(stored, events, nowMs) {
      const account = events.reduce(evolve, stored.account);
      const message = toMessage(stored.id, stored.merchantId, stored.version + 1n, account);
      const document = await aggregates.change(stored.document, {
        set: toDocument(account),
        events: [toEvent('account.updated', message, nowMs)],
      });
      return document === undefined ? undefined : toStored(document);
    },
  };
}

function toStored(document: StoredAccountDocument): StoredAccount {
  const { _id: id, merchant_id: merchantId, version } = document;
  return { id, merchantId, version, account: fromDocument(document), document };
}
