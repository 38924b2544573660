import type { Clock } from '@gerbang/core';
import { hasKeys } from '@gerbang/keys';
import { EVENT_CATALOGUE, type EventCatalogue } from '@gerbang/present';
import { MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { Closeable, Logger } from '@gerbang/runtime';
import { assembleService, openClock } from '@gerbang/service';
import { openEventBus } from '@gerbang/service/events';
import { implementKeys, openKeys } from '@gerbang/service/keys';
import { openOperatorGate } from '@gerbang/service/operators';
import { openChannel, type Served, serveRpc } from '@gerbang/service/rpc';
import { openStore } from '@gerbang/service/store';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { dispatch } from './delivery/dispatch.ts';
import { createEndpointStats } from './delivery/endpoint-stats.ts';
import { openDelivering } from './delivery/open.ts';
import { createProgress } from './delivery/progress.ts';
import { deliveredTokens } from './delivery/sealed-place.ts';
import { createSender } from './delivery/sender.ts';
import { openDeliveryStore } from './delivery/store.ts';
import { consumeSources } from './event/sources.ts';
import { createUnknownTypes } from './event/unknown-types.ts';
import { createSettingsDirectory } from './event/webhook-settings.ts';
import { createNotifierMetrics } from './metrics.ts';
import { openRedeliveryRuns } from './redelivery-run/store.ts';
import { implementations } from './rpc.ts';
import { openUnreadableStore } from './unreadable-event/store.ts';

/** Closing waits for attempts in flight, and those may take 10 s. */
const CLOSE_STEP_MS = 14_000;

export type Service = Served & Closeable;

/**
 * Starts the service; in tests `clock` replaces the business clock, `log` the logger and `catalogue` the list of known events.
 */
export function startService(
  config: Config,
  options: { clock?: Clock; log?: Logger; catalogue?: EventCatalogue } = {},
): Promise<Service> {
  const { log } = options;
  return assembleService({ name: 'notifier', config, log, closeStepMs: CLOSE_STEP_MS }, async (foundation) => {
    const { log, registry, closing } = foundation;
    const clock = await openClock(foundation, options.clock);
    const store = await openStore(foundation);
    const keys = hasKeys(config) ? await openKeys(foundation, ['prepaid-token']) : undefined;
    const deliveries = await openDeliveryStore(store);
    closing.push('deliveries', () => deliveries.close());
    const unreadable = await openUnreadableStore(store);
    const merchants = openChannel(foundation, 'merchant', config.MERCHANT_RPC).client(MerchantService);
    const isSandbox = config.GERBANG_ENV === 'sandbox';
    const sender = createSender(
      {
        allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
        allowHttp: isSandbox,
        keepsAnswersOf: config.keepsAnswersOf,
      },
      { socketsPerEndpoint: config.WEBHOOK_ENDPOINT_CONCURRENCY },
    );
    closing.push('sender', () => sender.close());
    const retryPolicy = { sandbox: isSandbox, chance: Math.random };
    const { claims } = deliveries;
    const endpointStats = createEndpointStats();
    const delivering = await openDelivering(foundation, {
      store,
      claims,
      clock,
      retryPolicy,
      dispatch: (claimed, sinceMs) => dispatch(context, claimed, sinceMs),
    });
    const context: Context = {
      catalogue: options.catalogue ?? EVENT_CATALOGUE,
      unknownTypes: createUnknownTypes(),
      deliveries,
      redeliveryRuns: openRedeliveryRuns(store),
      unreadable,
      settings: createSettingsDirectory(merchants, log),
      ...delivering,
      progress: createProgress(),
      sender,
      keys,
      endpointStats,
      retryPolicy,
      clock,
      gate: openOperatorGate(foundation),
      log,
      metrics: createNotifierMetrics(registry, {
        countDue: deliveries.countDue,
        countUnreadable: unreadable.count,
        worstEndpoints: () => endpointStats.worst(config.WEBHOOK_METRICS_ENDPOINTS),
        backlogOf: claims.backlogOf,
        nowMs: clock.now,
      }),
    };
    consumeSources(foundation, context, openEventBus(foundation));
    const tokens = keys === undefined ? [] : [deliveredTokens({ store, keys, log })];
    const served = [...implementations(context), implementKeys(tokens, context.gate)];
    return serveRpc(foundation, { implementations: served, store });
  });
}
