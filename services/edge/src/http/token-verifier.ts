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
/** A key id that nobody knows makes the edge ask again, but no more often than this. */
const UNKNOWN_KID_PAUSE_MS = 5_000;
const KEYS_TIMEOUT_MS = 2_000;
const TOKENS_MAX = 20_000;
const TOKEN_LENGTH_MAX = 4_096;

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
  /** Refusals: unauthorized, unavailable (the keys cannot be asked for). */
  verify(token: string): Promise<TokenClaims>;
};

/**
 * Verifies access tokens (contract §3): JWTs by EdDSA and nothing else, whatever their header says, by a public key of the merchant service. A token
 * is verified once and remembered until it expires.
 */
export function createTokenVerifier(options: {
  merchants: RpcClient<typeof MerchantService>;
  realNow: () => number;
  log: Logger;
}): TokenVerifier {
  const { merchants, realNow, log } = options;
  const keys = createKeySet(merchants, log);
  const verified = new LRUCache<string, TokenClaims>({ max: TOKENS_MAX });
  return {
    async verify(token) {
      const known = verified.get(token);
      if (known !== undefined && known.expiresAtMs > realNow()) return known;
      if (token.length > TOKEN_LENGTH_MAX) throw new RefusalError(refuse('unauthorized'));
      const claims = await verifyOnce(token, keys.find, realNow());
      verified.set(token, claims);
      return claims;
    },
    close: keys.close,
  };
}

async function verifyOnce(
  token: string,
  findKey: (header: JWTHeaderParameters) => Promise<KeyObject>,
  nowMs: number,
): Promise<TokenClaims> {
  try {
    const { payload } = await jwtVerify(token, findKey, {
      algorithms: ['EdDSA'],
      issuer: 'gerbang',
      currentDate: new Date(nowMs),
    });
    const { sub, cid, gen, exp } = claimsSchema.parse(payload);
    return { merchantId: sub, clientId: cid, generation: BigInt(gen), expiresAtMs: exp * 1_000 };
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) throw new RefusalError(refuse('unauthorized'), error);
    throw error;
  }
}

type KeySet = Closeable & { find(header: JWTHeaderParameters): Promise<KeyObject> };

function createKeySet(merchants: RpcClient<typeof MerchantService>, log: Logger): KeySet {
  let keys = new Map<string, KeyObject>();
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  const ask = async () => {
    const answer = await merchants.listVerificationKeys({}, { timeoutMs: KEYS_TIMEOUT_MS });
    keys = new Map(answer.keys.map(({ kid, publicKey }) => [kid, toPublicKey(publicKey)]));
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

function toPublicKey(der: Uint8Array): KeyObject {
  const key = createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`a verification key is ${key.asymmetricKeyType}, not ed25519`);
  return key;
}
