import { createPublicKey, type KeyObject } from 'node:crypto';
import { RefusalError, refuse } from '@gerbang/core';
import type { MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { RpcClient } from '@gerbang/rpc';
import type { Closeable, Logger } from '@gerbang/runtime';
import { errors, type JWTHeaderParameters, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { closed } from './access-cache.ts';

/** Keys are published a minute before they sign; this often they are asked for. */
const REFRESH_MS = 20_000;
/** An unknown key id makes the edge ask again, but no more often than this. */
const UNKNOWN_KID_PAUSE_MS = 5_000;
const KEYS_TIMEOUT_MS = 2_000;
const TOKENS_MAX = 20_000;
const TOKEN_LENGTH_MAX = 4_096;
const KEY_LENGTH = 24;

const claimsSchema = z.object({
  sub: z.string().min(1),
  cid: z.string().min(1),
  gen: z.int().min(0),
  jti: z.string().min(1),
  iat: z.number(),
  exp: z.number(),
});

/** What a valid access token says; the credential's generation decides whether it is still good. */
export type TokenClaims = { merchantId: string; clientId: string; generation: bigint; expiresAtMs: number };

export type TokenVerifier = Closeable & {
  /** What a token says that was verified before and is still good. */
  known(token: string): TokenClaims | undefined;
  /** Refusals: unauthorized, unavailable (the keys cannot be asked for). */
  verify(token: string): Promise<TokenClaims>;
};

/**
 * Verifies access tokens (contract §3): JWTs signed by EdDSA only, even if their header names another algorithm, by a public key
 * of the merchant service. A token is verified once and remembered until it expires or its key is published no more.
 */
export function createTokenVerifier(options: {
  merchants: RpcClient<typeof MerchantService>;
  realNow: () => number;
  log: Logger;
}): TokenVerifier {
  const { merchants, realNow, log } = options;
  const keys = createKeySet(merchants, log);
  const verified = new LRUCache<string, Verified>({ max: TOKENS_MAX });
  const known = (token: string): TokenClaims | undefined => {
    const found = verified.get(endOf(token));
    if (found?.token !== token) return undefined;
    if (found.claims.expiresAtMs > realNow() && keys.isPublished(found.kid, found.key)) return found.claims;
    verified.delete(endOf(token));
    return undefined;
  };
  return {
    known,
    async verify(token) {
      const claims = known(token);
      if (claims !== undefined) return claims;
      if (token.length > TOKEN_LENGTH_MAX) throw new RefusalError(refuse('unauthorized'));
      const found = await verifyOnce(token, keys.find, realNow());
      verified.set(endOf(token), found);
      return found.claims;
    },
    close: keys.close,
  };
}

/** A verified token, and by which key: it is good for as long as that key is. */
type Verified = { token: string; claims: TokenClaims; kid: string; key: KeyObject };

/**
 * What a token is looked up by: the end of its signature tells it from others as well as the whole does, and is hashed far
 * sooner.
 */
function endOf(token: string): string {
  return token.slice(-KEY_LENGTH);
}

async function verifyOnce(
  token: string,
  findKey: (header: JWTHeaderParameters) => Promise<KeyObject>,
  nowMs: number,
): Promise<Verified> {
  let key: KeyObject | undefined;
  const find = async (header: JWTHeaderParameters) => {
    key = await findKey(header);
    return key;
  };
  try {
    const { payload, protectedHeader } = await jwtVerify(token, find, {
      algorithms: ['EdDSA'],
      issuer: 'gerbang',
      currentDate: new Date(nowMs),
    });
    const { sub, cid, gen, exp } = claimsSchema.parse(payload);
    if (key === undefined) throw new Error('a token was verified by no key');
    const claims = { merchantId: sub, clientId: cid, generation: BigInt(gen), expiresAtMs: exp * 1_000 };
    return { token, claims, kid: protectedHeader.kid ?? '', key };
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) throw new RefusalError(refuse('unauthorized'), error);
    throw error;
  }
}

type KeySet = Closeable & {
  find(header: JWTHeaderParameters): Promise<KeyObject>;
  /** Whether this is still the key of that id. */
  isPublished(kid: string, key: KeyObject): boolean;
};

function createKeySet(merchants: RpcClient<typeof MerchantService>, log: Logger): KeySet {
  let keys = new Map<string, KeyObject>();
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  const ask = async () => {
    const answer = await merchants.listVerificationKeys({}, { timeoutMs: KEYS_TIMEOUT_MS });
    keys = new Map(answer.keys.map(({ kid, publicKey }) => [kid, sameKey(keys.get(kid), toPublicKey(publicKey))]));
    askedAtMs = performance.now();
  };
  const refresh = () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
  const refreshing = setInterval(() => {
    refresh().catch((error: unknown) => log.warn({ err: error }, 'could not refresh the keys of access tokens'));
  }, REFRESH_MS);
  refreshing.unref();
  return {
    isPublished: (kid, key) => keys.get(kid) === key,
    async find({ kid = '' }) {
      const known = keys.get(kid);
      if (known !== undefined) return known;
      if (performance.now() - askedAtMs > UNKNOWN_KID_PAUSE_MS) {
        await refresh().catch((error: unknown) => {
          throw closed(error);
        });
      }
      const found = keys.get(kid);
      if (found === undefined) throw new RefusalError(refuse('unauthorized'));
      return found;
    },
    async close() {
      clearInterval(refreshing);
    },
  };
}

/** The object that is known already, where both are the same key: tokens hang on it. */
function sameKey(known: KeyObject | undefined, published: KeyObject): KeyObject {
  return known?.equals(published) ? known : published;
}

function toPublicKey(der: Uint8Array): KeyObject {
  const key = createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`a verification key is ${key.asymmetricKeyType}, not ed25519`);
  return key;
}
