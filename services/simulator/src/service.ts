import { createClock } from '@gerbang/core';
import { type Closeable, ClosingStack, createLogger, createMetrics, startAdmin, startTelemetry } from '@gerbang/runtime';
import { connectStore } from '@gerbang/store';
import { buildApp } from './app.ts';
import { openBankBooks } from './bank-transfer/books.ts';
import { createTokenIssuer } from './bank-transfer/tokens.ts';
import { createClockFollowers } from './clock/followers.ts';
import { openOffsetStore } from './clock/offset-store.ts';
import type { Config } from './config.ts';
import { openRailBehaviours } from './control/behaviours.ts';

const NAME = 'simulator';

export type Service = Closeable & { url: string; adminPort: number };

/** Starts the sandbox's bank and the control API. */
export async function startService(config: Config): Promise<Service> {
  const log = createLogger({ service: NAME, level: config.LOG_LEVEL });
  const closing = new ClosingStack(log);
  try {
    closing.push('telemetry', await startTelemetry({ service: NAME, otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT }));
    const store = await connectStore({
      uri: config.MONGODB_URI,
      database: `${config.MONGODB_DB_PREFIX}simulator`,
      appName: NAME,
    });
    closing.push('store', () => store.close());
    const offsets = openOffsetStore(store);
    const clock = createClock(Date.now, await offsets.read());
    const books = await openBankBooks(store, clock, log);
    closing.push('books', () => books.close());
    const app = buildApp(
      {
        clock,
        offsets,
        followers: createClockFollowers(),
        books,
        behaviours: await openRailBehaviours(store),
        tokens: createTokenIssuer(),
        clientSecret: config.SIMULATOR_CLIENT_SECRET,
        log,
      },
      { clientKey: config.SIMULATOR_CLIENT_KEY, publicKey: config.SIMULATOR_PUBLIC_KEY },
    );
    const url = await app.listen({ host: config.SIMULATOR_HOST, port: config.SIMULATOR_PORT });
    closing.push('http', () => app.close());
    const admin = await startAdmin({
      host: config.ADMIN_HOST,
      port: config.ADMIN_PORT,
      metrics: createMetrics(NAME),
      ready: async () => {
        await store.ping();
        return undefined;
      },
    });
    closing.push('admin', () => admin.close());
    log.info({ url }, 'ready');
    return { url, adminPort: admin.port, close: () => closing.close() };
  } catch (error) {
    await closing.close();
    throw error;
  }
}
