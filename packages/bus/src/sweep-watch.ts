import { type Closeable, Gauge, type Logger, type Registry } from '@gerbang/runtime';

/** So long may a service's unconfirmed events be without a replica that sweeps for them. */
const STALLED_AFTER_MS = 60_000;
/** While it lasts, operators are told again this often. */
const REMIND_EVERY_MS = 10 * 60_000;
const CHECKS = 12;

/** Follows whether a service's events are swept for: by this replica, by another one, or because nothing is overdue. */
export type SweepWatch = Closeable & {
  /** Tells that the sweep works: nothing is overdue, this replica holds the lease, or another one does. */
  works(): void;
  /** Tells why it does not at the moment. */
  fails(reason: unknown): void;
  /** Looks whether it has stalled; a timer does so every twelfth of the time after which it has. */
  check(): void;
};

/**
 * Alerts operators when a service's sweep has not worked for a minute, by an error in the log with `alert:
 * "event_sweep_stalled"`, again every ten minutes, and by the gauge `gerbang_events_sweep_stalled_seconds`; `alert:
 * "event_sweep_recovered"` tells that it works again. `nowMs` is a monotonic clock; `stalledAfterMs` replaces the minute.
 */
export function watchSweep(options: {
  service: string;
  log: Logger;
  metrics?: Registry;
  nowMs?: () => number;
  stalledAfterMs?: number;
}): SweepWatch {
  const { service, log, stalledAfterMs = STALLED_AFTER_MS } = options;
  const nowMs = options.nowMs ?? (() => performance.now());
  let workedMs = nowMs();
  let toldMs: number | undefined;
  let lastReason: unknown;
  const stalledMs = () => {
    const silentMs = nowMs() - workedMs;
    return silentMs < stalledAfterMs ? 0 : silentMs;
  };
  const check = () => {
    if (stalledMs() === 0 || (toldMs !== undefined && nowMs() - toldMs < REMIND_EVERY_MS)) return;
    toldMs = nowMs();
    log.error(
      { alert: 'event_sweep_stalled', service, stalled_ms: Math.round(stalledMs()), err: lastReason },
      'no replica sweeps for unconfirmed events: those that were not confirmed right after their write are not delivered',
    );
  };
  const checking = setInterval(check, stalledAfterMs / CHECKS);
  checking.unref();
  if (options.metrics !== undefined) measure(options.metrics, stalledMs);
  return {
    works() {
      if (toldMs !== undefined) log.info({ alert: 'event_sweep_recovered', service }, 'unconfirmed events are swept for again');
      toldMs = undefined;
      lastReason = undefined;
      workedMs = nowMs();
    },
    fails(reason) {
      lastReason = reason;
    },
    check,
    async close() {
      clearInterval(checking);
    },
  };
}

function measure(registry: Registry, stalledMs: () => number): void {
  new Gauge({
    name: 'gerbang_events_sweep_stalled_seconds',
    help: 'For how long no replica of the service has swept for unconfirmed events; 0 below a minute',
    registers: [registry],
    collect() {
      this.set(stalledMs() / 1_000);
    },
  });
}
