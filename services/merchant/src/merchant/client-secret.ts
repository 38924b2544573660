import { randomBytes } from 'node:crypto';
import { type KeyRing, type Sealed, seal, unseal } from '@gerbang/core';
import type { Credential } from './merchant.ts';

/** 32 random bytes as base64url. Shown once, by the command that makes it. */
export function newClientSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Seals a secret to its merchant and client id, so that a ciphertext copied to another merchant opens nothing. */
export function sealSecret(ring: KeyRing, merchantId: string, clientId: string, secret: string): Sealed {
  return seal(ring, Buffer.from(secret), associatedData(merchantId, clientId));
}

/**
 * The secret of a credential, as it must be known to check an HMAC (architecture §8). Throws when its key-encryption key is
 * missing.
 */
export function openSecret(ring: KeyRing, merchantId: string, credential: Credential): string {
  return unseal(ring, credential.secret, associatedData(merchantId, credential.clientId)).toString();
}

function associatedData(merchantId: string, clientId: string): string {
  return `client-secret:${merchantId}:${clientId}`;
}
