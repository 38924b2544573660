import { randomBytes } from 'node:crypto';
import type { Keys, Secret } from '@gerbang/keys';
import type { Credential } from './merchant.ts';

/** 32 random bytes as base64url. Shown once, by the command that makes it. */
export function newClientSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Seals a secret to its merchant and client id, so that a ciphertext copied to another merchant opens nothing. Refusals:
 * unavailable.
 */
export function sealSecret(keys: Keys<'client-secret'>, merchantId: string, clientId: string, secret: string): Promise<string> {
  return keys.seal(clientSecret(merchantId, clientId), secret);
}

/**
 * The secret of a credential, as it must be known to check an HMAC (architecture §8). Refusals: unavailable. Throws when its key
 * is missing.
 */
export function openSecret(keys: Keys<'client-secret'>, merchantId: string, credential: Credential): Promise<string> {
  return keys.open(clientSecret(merchantId, credential.clientId), credential.secret);
}

export function clientSecret(merchantId: string, clientId: string): Secret<'client-secret'> {
  return { purpose: 'client-secret', owner: `${merchantId}:${clientId}` };
}
