import { createHmac, randomBytes } from 'node:crypto';
import { equalsInConstantTime } from '@gerbang/core';

/** SNAP: access tokens live fifteen minutes. */
export const TOKEN_LIFE_SECONDS = 900;

const PURPOSE = 'gerbang rail access token v1';
/** `<expiry, Unix seconds>.<random>.<HMAC>`. */
const TOKEN = /^(\d{10,12})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/**
 * An access token for a partner. It is proved by the partner's own secret, so that every replica of the edge knows it and none
 * has to remember it; a forger would need the secret, and could sign transactions with it as well.
 */
export function issueToken(partnerId: string, clientSecret: string, nowMs: number): string {
  const content = `${Math.floor(nowMs / 1_000) + TOKEN_LIFE_SECONDS}.${randomBytes(16).toString('base64url')}`;
  return `${content}.${proofOf(content, partnerId, clientSecret)}`;
}

/** Whether the token was issued to the partner and still lives. */
export function isToken(token: string, partnerId: string, clientSecret: string, nowMs: number): boolean {
  const [, expiry = '', random = '', proof = ''] = TOKEN.exec(token) ?? [];
  const isOurs = equalsInConstantTime(proof, proofOf(`${expiry}.${random}`, partnerId, clientSecret));
  return isOurs && nowMs < Number(expiry) * 1_000;
}

function proofOf(content: string, partnerId: string, clientSecret: string): string {
  const key = createHmac('sha256', clientSecret).update(PURPOSE).digest();
  return createHmac('sha256', key).update(`${partnerId}.${content}`).digest('base64url');
}
