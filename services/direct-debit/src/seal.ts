import { type KeyRing, openText, sealText } from '@gerbang/core';

/** What is sealed: what customers and banks entrust us with, and what opens a customer's page. */
export type Purpose =
  | 'customer-phone'
  | 'bind-page'
  | 'auth-code'
  | 'charge-token'
  | 'account-token'
  | 'customer-token'
  | 'unbind-handoff';

/** Seals to a binding or a charge, so that a ciphertext copied to another one opens nothing. */
export type Sealing = {
  seal(purpose: Purpose, owner: string, text: string): string;
  /** Throws when its key is missing, or when anything of it was changed. */
  open(purpose: Purpose, owner: string, sealed: string): string;
};

export function createSealing(ring: KeyRing): Sealing {
  return {
    seal: (purpose, owner, text) => sealText(ring, { purpose, owner }, text),
    open: (purpose, owner, sealed) => openText(ring, { purpose, owner }, sealed),
  };
}
