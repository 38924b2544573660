import type { AggregateDocument } from '@gerbang/store';
import type { Account } from './account.ts';

/** The document's own fields: snake_case, dates. Field names here and only here. */
export type AccountDocument = {
  name: string;
  merchant_reff_no: string;
  is_default: boolean;
  active: boolean;
  frozen: boolean;
  created_at: Date;
  updated_at: Date;
};

/** An account's document as it is stored. */
export type StoredAccountDocument = AggregateDocument<AccountDocument>;

/** The version of the state's shape. The first: a change of shape adds a pure upcaster. */
export const SCHEMA = 1;

/** The state as the database holds it. */
export function toDocument(account: Account): AccountDocument {
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

/** The state in a document. */
export function fromDocument(document: AccountDocument): Account {
  return {
    name: document.name,
    merchantReffNo: document.merchant_reff_no,
    isDefault: document.is_default,
    active: document.active,
    frozen: document.frozen,
    createdAtMs: document.created_at.getTime(),
    updatedAtMs: document.updated_at.getTime(),
  };
}
