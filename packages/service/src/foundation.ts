import type { Clock } from '@gerbang/core';
import {
  type Closeable,
  ClosingStack,
  createCardNumberAlarm,
  createLogger,
  createMetrics,
  type Logger,
  type Registry,
  startBusinessClock,
  startTelemetry,
} from '@gerbang/runtime';
import { checkProduction } from './production/check.ts';

/** What the parts of a service are opened with: its name and configuration, where it logs and counts, and what closes it. */
export type Foundation<Config = unknown> = {
  name: string;
  config: Config;
  log: Logger;
  registry: Registry;
  closing: ClosingStack;
  /** Aborted when the service is told to stop, DRAIN_DELAY_MS before anything of it is closed. */
  draining: AbortController;
};

/** What every service is configured by: `commonShape` and its ADMIN_PORT. */
export type CommonConfig = {
  GERBANG_ENV: 'sandbox' | 'production';
  LOG_LEVEL: string;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  SANDBOX_CLOCK_URL?: string | undefined;
  ADMIN_HOST: string;
  DRAIN_DELAY_MS: number;
  ADMIN_PORT: number;
};

/**
 * Starts a service from its parts. `open` opens them one after the other; each pushes onto `closing` how it is closed. Closing
 * the service closes them in reverse order. When `open` throws, what it has opened by then is closed, and the error goes on to
 * the caller. Production is checked before anything is opened (`checkProduction`). `log` replaces the logger in tests; `closeStepMs` bounds one step of the closing (10 s by default).
 */
export async function assembleService<Config extends CommonConfig, Parts extends object>(
  options: { name: string; config: Config; log?: Logger | undefined; closeStepMs?: number },
  open: (foundation: Foundation<Config>) => Promise<Parts>,
): Promise<Parts & Closeable> {
  const { name, config } = options;
  checkProduction(name, config, Date.now());
  const registry = createMetrics(name);
  const alarm = createCardNumberAlarm(registry, () => log);
  const log = options.log ?? createLogger({ service: name, level: config.LOG_LEVEL, alarm });
  const closing = new ClosingStack(log, options.closeStepMs);
  try {
    closing.push('telemetry', await startTelemetry({ service: name, otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, alarm }));
    const parts = await open({ name, config, log, registry, closing, draining: new AbortController() });
    return { ...parts, close: () => closing.close() };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

/** Opens business time, which follows the simulator's clock in a sandbox. A test gives its own clock as `replacement`. */
export async function openClock({ config, log, closing }: Foundation<CommonConfig>, replacement?: Clock): Promise<Clock> {
  if (replacement !== undefined) return replacement;
  const clock = await startBusinessClock(config.SANDBOX_CLOCK_URL, log);
  closing.push('clock', () => clock.close());
  return clock;
}
