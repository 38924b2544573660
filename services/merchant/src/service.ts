import { type Clock, newUlid } from '@gerbang/core';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { Closeable } from '@gerbang/runtime';
import { assembleService, openClock } from '@gerbang/service';
import { openRelay } from '@gerbang/service/events';
import { implementKeys, openKeys } from '@gerbang/service/keys';
import { openLedger, type Served, serveRpc } from '@gerbang/service/rpc';
import { openStore } from '@gerbang/service/store';
import { openAuditLog, openIdempotencyKeys } from '@gerbang/store';
import { ACCOUNTS, openAccountStore } from './account/store.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { MERCHANTS, openMerchantStore } from './merchant/store.ts';
import { createMerchantMetrics } from './metrics.ts';
import { implementations } from './rpc.ts';
import { sealedPlaces } from './sealed-places.ts';
import { openSigningKeys } from './token/signing-keys.ts';

export type Service = Served & Closeable;

/** Starts the service; it answers whether or not NATS is there. `clock` and `realNow` replace business and real time in tests. */
export function startService(config: Config, options: { clock?: Clock; realNow?: () => number } = {}): Promise<Service> {
  return assembleService({ name: 'merchant', config }, async (foundation) => {
    const { log, registry, closing } = foundation;
    const realNow = options.realNow ?? Date.now;
    const clock = await openClock(foundation, options.clock);
    const store = await openStore(foundation);
    const { relay } = openRelay(foundation, store, clock);
    const keys = await openKeys(foundation, ['client-secret', 'signing-key']);
    const signingKeys = await openSigningKeys({
      store,
      keys,
      rotationMs: config.TOKEN_KEY_ROTATION_SECONDS * 1_000,
      realNow,
      log,
    });
    closing.push('signing keys', () => signingKeys.close());
    const context: Context = {
      store,
      merchants: await openMerchantStore(store, relay.afterWrite),
      accounts: await openAccountStore(store, relay.afterWrite),
      signingKeys,
      idempotencyKeys: await openIdempotencyKeys(store, clock),
      audit: openAuditLog(store),
      ledger: openLedger(foundation).client(LedgerService),
      keys,
      clock,
      realNow,
      newId: newUlid,
      partitions: config.MERCHANT_PARTITIONS,
      httpAllowed: config.GERBANG_ENV === 'sandbox',
      metrics: createMerchantMetrics(registry),
      log,
    };
    const forKeys = implementKeys(sealedPlaces({ store, keys, log }), context.audit);
    const served = [...implementations(context), forKeys, ...relay.serve([MERCHANTS, ACCOUNTS])];
    return serveRpc(foundation, { implementations: served, store });
  });
}
