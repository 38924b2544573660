import type { Keys, Secret } from '@gerbang/keys';

/** What is sealed: what customers and banks entrust us with, and what opens a customer's page. */
export type Kind =
  | 'customer-phone'
  | 'bind-page'
  | 'auth-code'
  | 'charge-token'
  | 'account-token'
  | 'customer-token'
  | 'unbind-handoff';

/** Seals to a binding or a charge, so that a ciphertext copied to another one, or to another field, opens nothing. */
export type Sealing = {
  /** Refusals: unavailable. */
  seal(kind: Kind, owner: string, text: string): Promise<string>;
  /** Refusals: unavailable. Throws when its key is missing, or when anything of it was changed. */
  open(kind: Kind, owner: string, sealed: string): Promise<string>;
};

export function createSealing(keys: Keys<'customer-data'>): Sealing {
  return {
    seal: (kind, owner, text) => keys.seal(customerData(kind, owner), text),
    open: (kind, owner, sealed) => keys.open(customerData(kind, owner), sealed),
  };
}

/** All of it lies under one purpose's key. */
export function customerData(kind: Kind, owner: string): Secret<'customer-data'> {
  return { purpose: 'customer-data', owner: `${kind}:${owner}` };
}
