import { randomBytes } from 'node:crypto';
import { type KeyRing, openFor, type Sealed, type Secret, sealFor } from '@gerbang/core';
import type { Credential } from './merchant.ts';

/** 32 random bytes as base64url. Shown once, by the command that makes it. */
export function newClientSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Seals a secret to its merchant and client id, so that a ciphertext copied to another merchant opens nothing. */
export function sealSecret(ring: KeyRing, merchantId: string, clientId: string, secret: string): Sealed {
  return sealFor(ring, clientSecret(merchantId, clientId), secret);
}

/**
 * The secret of a credential, as it must be known to check an HMAC (architecture §8). Throws when its key-encryption key is
 * missing.
 */
export function openSecret(ring: KeyRing, merchantId: string, credential: Credential): string {
  return openFor(ring, clientSecret(merchantId, credential.clientId), credential.secret);
}

function clientSecret(merchantId: string, clientId: string): Secret {
  return { purpose: 'client-secret', owner: `${merchantId}:${clientId}` };
}
