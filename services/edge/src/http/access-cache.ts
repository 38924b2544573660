import { RefusalError, refuse } from '@gerbang/core';
import { pollVersions, VersionedCache, type VersionPoll } from '@gerbang/neighbours';
import type { Access, MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { RpcClient } from '@gerbang/rpc';
import type { Closeable, Logger } from '@gerbang/runtime';
import { compileWhitelist, type IpMatcher } from './ip-whitelist.ts';

const LOAD_TIMEOUT_MS = 2_000;

/** A credential, with the union of its own and its merchant's whitelist compiled. */
export type EdgeCredential = {
  clientId: string;
  clientSecret: string;
  active: boolean;
  generation: bigint;
  allows: IpMatcher;
};

/** What the edge knows of a merchant to let it in. */
export type MerchantAccess = {
  merchantId: string;
  partnerId: string;
  version: bigint;
  credentials: ReadonlyMap<string, EdgeCredential>;
};

/**
 * Access of merchants by id: asks every 3 s what has changed, and answers `unavailable` when that has not worked for 5 s, so that
 * a revoked credential is out everywhere within 5 s (contract §3).
 */
export type AccessCache = Closeable & {
  /** What is known already and may be believed; undefined where it takes asking. */
  known(merchantId: string): MerchantAccess | undefined;
  /** Refusals: merchant_not_found, unavailable. */
  ofMerchant(merchantId: string): Promise<MerchantAccess>;
  /** The same, asked anew: for who comes with something newer than what is cached. */
  ofMerchantNow(merchantId: string): Promise<MerchantAccess>;
  /** Whether the merchant service has reported changes lately. */
  isFresh(): boolean;
  /** Takes a hint that a merchant may have changed. */
  mayHaveChanged: VersionPoll['mayHaveChanged'];
};

export function createAccessCache(options: { merchants: RpcClient<typeof MerchantService>; log: Logger }): AccessCache {
  const { merchants, log } = options;
  const cache = new VersionedCache<MerchantAccess>(async (merchantId) => {
    const { access } = await merchants.getAccess(
      { by: { case: 'merchantId', value: merchantId } },
      { timeoutMs: LOAD_TIMEOUT_MS },
    );
    return access === undefined ? undefined : compileAccess(access);
  });
  const poll = pollVersions({ client: merchants, merchants: cache, log });
  const ofMerchant = async (merchantId: string) => {
    try {
      return await cache.get(merchantId, 'merchant_not_found');
    } catch (error) {
      throw closed(error);
    }
  };
  return {
    isFresh: poll.isFresh,
    mayHaveChanged: poll.mayHaveChanged,
    known: (merchantId) => cache.known(merchantId),
    ofMerchant,
    ofMerchantNow(merchantId) {
      cache.forget(merchantId);
      return ofMerchant(merchantId);
    },
    close: poll.close,
  };
}

/** The access that the merchant service gives, ready for checking. */
export function compileAccess(access: Access): MerchantAccess {
  const credentials = access.credentials.map((credential): [string, EdgeCredential] => [
    credential.clientId,
    {
      clientId: credential.clientId,
      clientSecret: credential.clientSecret,
      active: credential.active,
      generation: credential.generation,
      allows: compileWhitelist([...access.ipWhitelist, ...credential.ipWhitelist]),
    },
  ]);
  const { merchantId, partnerId, version } = access;
  return { merchantId, partnerId, version, credentials: new Map(credentials) };
}

/** A merchant whose configuration cannot be read, for any reason, is not let in. */
export function closed(error: unknown): unknown {
  if (error instanceof RefusalError && error.refusal.refused !== 'timeout' && error.refusal.refused !== 'internal') return error;
  return new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }), error);
}
