import { create, toBinary } from '@bufbuild/protobuf';
import {
  AccountChangedSchema,
  type Account as AccountMessage,
  AccountSchema,
  AccountStatus,
} from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { type AfterWrite, type AggregateDocument, dateRange, type NewEvent, openAggregates, type Store } from '@gerbang/store';
import { type Account, type AccountEvent, evolve } from './account.ts';

/** The document's own fields: snake_case, dates. Field names here and only here. */
type AccountDocument = {
  name: string;
  merchant_reff_no: string;
  is_default: boolean;
  active: boolean;
  frozen: boolean;
  created_at: Date;
  updated_at: Date;
};

type Stored = AggregateDocument<AccountDocument>;

/** An account as it was read, and the version that the next change is conditional on. */
export type StoredAccount = { id: string; merchantId: string; version: bigint; account: Account; document: Stored };

export const ACCOUNTS = 'accounts';

/** The accounts of all merchants; `_id` = the account's ULID. */
export type AccountStore = {
  /** Undefined when the id is taken. */
  insert(id: string, merchantId: string, account: Account, nowMs: number): Promise<StoredAccount | undefined>;
  /** Whoever's it is: the caller compares the merchant, since another merchant's account is a refusal of its own. */
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

/** Opens the collection. Documents have schema 1, the first: a change of shape adds a pure upcaster in `fromDocument`. */
export async function openAccountStore(store: Store, afterWrite: AfterWrite): Promise<AccountStore> {
  const aggregates = await openAggregates<AccountDocument>(store, ACCOUNTS, { schema: 1, afterWrite });
  const { collection } = aggregates;
  await collection.createIndex({ merchant_id: 1, _id: 1 }, { name: 'of-merchant' });
  return {
    async insert(id, merchantId, account, nowMs) {
      const event = toEvent('account.created', toMessage(id, merchantId, 1n, account), nowMs);
      const document = await aggregates.insert(id, merchantId, toDocument(account), [event]);
      return document === undefined ? undefined : fromDocument(document);
    },
    async find(id, options) {
      const document = await aggregates.find(id, options);
      return document === undefined ? undefined : fromDocument(document);
    },
    async list({ merchantId, limit, before, status, merchantReffNo, fromMs, toMs }) {
      const createdAt = dateRange(fromMs, toMs);
      const documents = await collection
        .find(
          {
            merchant_id: merchantId,
            ...(before !== undefined && { _id: { $lt: before } }),
            ...(status !== undefined && statusFilters[status]),
            ...(merchantReffNo !== undefined && { merchant_reff_no: merchantReffNo }),
            ...(createdAt !== undefined && { created_at: createdAt }),
          },
          { sort: { _id: -1 }, limit },
        )
        .toArray();
      return documents.map((document) => fromDocument(document as Stored));
    },
    async listOf(merchantIds) {
      const documents = await collection
        .find(
          { merchant_id: { $in: [...merchantIds] } },
          { sort: { merchant_id: 1, _id: 1 }, limit: LISTED_MAX * merchantIds.length },
        )
        .toArray();
      return documents.map((document) => fromDocument(document as Stored));
    },
    async apply(stored, events, nowMs) {
      const account = events.reduce(evolve, stored.account);
      const message = toMessage(stored.id, stored.merchantId, stored.version + 1n, account);
      const document = await aggregates.change(stored.document, {
        set: toDocument(account),
        events: [toEvent('account.updated', message, nowMs)],
      });
      return document === undefined ? undefined : fromDocument(document);
    },
  };
}

/** The account as the contract between services shows it. */
export function toMessage(id: string, merchantId: string, version: bigint, account: Account): AccountMessage {
  return create(AccountSchema, {
    accountId: id,
    merchantId,
    name: account.name,
    status: account.frozen ? AccountStatus.FROZEN : account.active ? AccountStatus.ACTIVE : AccountStatus.INACTIVE,
    merchantReffNo: account.merchantReffNo,
    isDefault: account.isDefault,
    createdAtMs: BigInt(account.createdAtMs),
    updatedAtMs: BigInt(account.updatedAtMs),
    version,
  });
}

function toEvent(type: string, account: AccountMessage, nowMs: number): NewEvent {
  return { type, schema: 1, payload: toBinary(AccountChangedSchema, create(AccountChangedSchema, { account })), atMs: nowMs };
}

function toDocument(account: Account): AccountDocument {
  return {
    name: account.name,
    merchant_reff_no: account.merchantReffNo,
    is_default: account.isDefault,
    active: account.active,
    frozen: account.frozen,
    created_at: new Date(account.createdAtMs),
    updated_at: new Date(account.updatedAtMs),
  };
}

function fromDocument(document: Stored): StoredAccount {
  const account: Account = {
    name: document.name,
    merchantReffNo: document.merchant_reff_no,
    isDefault: document.is_default,
    active: document.active,
    frozen: document.frozen,
    createdAtMs: document.created_at.getTime(),
    updatedAtMs: document.updated_at.getTime(),
  };
  return { id: document._id, merchantId: document.merchant_id, version: document.version, account, document };
}
