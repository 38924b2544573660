import { setMaxListeners } from 'node:events';
import { createClock } from '@gerbang/core';
import type { Closeable } from '@gerbang/runtime';
import { answers, assembleService, type Foundation, listenHttp, startProbes } from '@gerbang/service';
import { openStore } from '@gerbang/service/store';
import { buildApp } from './app.ts';
import { openBankBooks } from './bank-transfer/books.ts';
import { openIso8583Host } from './card/iso8583/host.ts';
import { createClockFollowers } from './clock/followers.ts';
import { openOffsetStore } from './clock/offset-store.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { openRailBehaviours } from './control/behaviours.ts';
import { openHistoryChanges } from './history/changes.ts';
import { createSimulatorMetrics } from './metrics.ts';
import { createGateway } from './money-in/gateway.ts';
import { keepTelling } from './money-in/notifier.ts';
import { openMoneyIn } from './money-in/open.ts';
import { openQrisBooks } from './qris-payment/books.ts';
import { createInquiryIds } from './snap/inquiry-ids.ts';
import { createTokenIssuer } from './snap/tokens.ts';

export type Service = Closeable & { url: string; port: number; adminPort: number; iso8583Port: number | undefined };

/** Starts the sandbox's bank and the control API. `random` replaces chance in tests. */
export function startService(config: Config, options: { random?: () => number } = {}): Promise<Service> {
  return assembleService({ name: 'simulator', config }, async (foundation) => {
    const { log, registry, closing } = foundation;
    const store = await openStore(foundation);
    const offsets = await openOffsetStore(store);
    const clock = createClock(Date.now, await offsets.read());
    const stopping = new AbortController();
    setMaxListeners(0, stopping.signal);
    const context: Context = {
      partner: config.partner,
      clock,
      offsets,
      followers: createClockFollowers(),
      books: await openBankBooks(store, clock),
      ...(await openMoneyIn(store, clock)),
      qrisBooks: await openQrisBooks(store, clock),
      store,
      publicUrl: (config.SIMULATOR_PUBLIC_URL ?? `http://127.0.0.1:${config.SIMULATOR_PORT}`).replace(/\/+$/, ''),
      gateway: createGateway({
        url: config.SIMULATOR_RAILS_URL,
        privateKey: config.SIMULATOR_PRIVATE_KEY,
        clientSecret: config.SIMULATOR_RAIL_SECRET,
        hmacRails: config.SIMULATOR_HMAC_RAILS,
        stopping: stopping.signal,
      }),
      historyChanges: await openHistoryChanges(store),
      behaviours: await openRailBehaviours(store),
      tokens: createTokenIssuer(),
      inquiryIds: createInquiryIds(),
      metrics: createSimulatorMetrics(registry),
      log,
      random: options.random ?? Math.random,
      stopping: stopping.signal,
    };
    const url = await listenHttp(foundation, 'http', buildApp(context), {
      host: config.SIMULATOR_HOST,
      port: config.SIMULATOR_PORT,
    });
    const iso8583Port = await openHost(context, config, closing);
    const telling = keepTelling(context);
    closing.push('notifications', async () => {
      // Requests that wait, for the clock or on purpose, end at once, so that the app can close.
      stopping.abort();
      context.followers.release();
      await telling;
    });
    const admin = await startProbes(foundation, answers(store));
    log.info({ url }, 'ready');
    return { url, port: Number(new URL(url).port), adminPort: admin.port, iso8583Port };
  });
}

/** The acquirer's host for ISO 8583, where it is wanted. */
async function openHost(
  context: Context,
  { SIMULATOR_HOST: host, SIMULATOR_ISO8583_PORT: port }: Config,
  closing: Foundation['closing'],
): Promise<number | undefined> {
  if (port === undefined) return undefined;
  const opened = await openIso8583Host(context, { host, port });
  closing.push('iso 8583', () => opened.close());
  return opened.port;
}
