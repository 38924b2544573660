import { type Clock, keyedChain, newUlid } from '@gerbang/core';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { Closeable, Logger } from '@gerbang/runtime';
import { assembleService, openClock } from '@gerbang/service';
import { openRelay } from '@gerbang/service/events';
import { implementKeys, openKeys } from '@gerbang/service/keys';
import { openLedger, type Served, serveRpc } from '@gerbang/service/rpc';
import { openStore } from '@gerbang/service/store';
import { openIdempotencyKeys } from '@gerbang/store';
import { ACCOUNTS, openAccountStore } from './account/store.ts';
import { openApprovalStore } from './approval/store.ts';
import { openOperatorLog } from './audit/log.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { logRefusedTokens } from './gate/refused-tokens.ts';
import { localGate } from './gate/rpc.ts';
import { MERCHANTS, openMerchantStore } from './merchant/store.ts';
import { createMerchantMetrics } from './metrics.ts';
import { createOidcProvider } from './oidc/provider.ts';
import { openOperatorStore } from './operators/store.ts';
import { implementations } from './rpc.ts';
import { sealedPlaces } from './sealed-places.ts';
import { openSigningKeys } from './token/signing-keys.ts';

export type Service = Served & Closeable;

/**
 * Starts the service; it answers whether or not NATS is there. `clock` and `realNow` replace business and real time in tests,
 * `log` the logger.
 */
export function startService(
  config: Config,
  options: { clock?: Clock; realNow?: () => number; log?: Logger } = {},
): Promise<Service> {
  return assembleService({ name: 'merchant', config, log: options.log }, async (foundation) => {
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
    const metrics = createMerchantMetrics(registry);
    const chain = keyedChain(config.CHAIN_KEYS, 'audit');
    const audit = await openOperatorLog({ store, chain, log, realNow, behind: metrics.auditBehind });
    closing.push('audit log', () => audit.close());
    const refusedTokens = logRefusedTokens({ audit, log, realNow, newId: newUlid });
    closing.push('refused tokens', () => refusedTokens.close());
    const context: Context = {
      store,
      merchants: await openMerchantStore(store, relay.afterWrite),
      accounts: await openAccountStore(store, relay.afterWrite),
      signingKeys,
      idempotencyKeys: await openIdempotencyKeys(store, clock),
      audit,
      refusedTokens,
      operators: await openOperatorStore(store, keyedChain(config.CHAIN_KEYS, 'operators'), log),
      provider: config.oidc === undefined ? undefined : createOidcProvider(config.oidc),
      approvals: await openApprovalStore(store),
      thresholds: {
        feeSen: config.APPROVAL_FEE_SEN,
        feeBasisPoints: config.APPROVAL_FEE_BASIS_POINTS,
        limitSen: config.APPROVAL_LIMIT_SEN,
      },
      ledger: openLedger(foundation).client(LedgerService),
      keys,
      clock,
      realNow,
      newId: newUlid,
      partitions: config.MERCHANT_PARTITIONS,
      httpAllowed: config.httpAllowed,
      metrics,
      log,
    };
    const gate = localGate(context);
    const forKeys = implementKeys(sealedPlaces({ store, keys, log }), gate);
    const served = [...implementations(context), forKeys, ...relay.serve([MERCHANTS, ACCOUNTS], gate)];
    return serveRpc(foundation, { implementations: served, store });
  });
}
