import { RefusalError, refuse } from '@gerbang/core';
import type { Purpose } from './purpose.ts';

/** A data key as it is stored: under which key, and its ciphertext. */
export type WrappedKey = { kid: string; wrapped: Uint8Array };

/**
 * The port to where key-encryption keys are kept. There is one for each purpose; an adapter binds the purpose to what it wraps, so
 * that a data key of one purpose unwraps for no other. Refusals: unavailable (the keys can't be reached now). Other errors mean
 * that the key is missing, or that the ciphertext is not of this key.
 */
export type KeyEncryption = {
  /** The adapter's name, which every ciphertext carries. */
  name: 'env' | 'file' | 'vault' | 'aws-kms';
  /** Wraps under the purpose's newest key. */
  wrap(purpose: Purpose, dataKey: Uint8Array): Promise<WrappedKey>;
  unwrap(purpose: Purpose, key: WrappedKey): Promise<Uint8Array>;
  /** A key of before each purpose had its own, which sealed without data keys; undefined where the adapter has no such. */
  earlierKey(kid: string): Promise<Uint8Array | undefined>;
};

/** A kid is a part of file names and of stored texts. */
const KID = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$/;

export function mustBeKid(kid: string): string {
  if (KID.test(kid)) return kid;
  throw new Error('a key id has letters, digits, _, - and . only, 64 at most');
}

/** What to throw when keys can't be reached; the caller may try again. */
export function unavailable(reason: string, cause?: unknown): RefusalError {
  return new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }), new Error(reason, { cause }));
}
