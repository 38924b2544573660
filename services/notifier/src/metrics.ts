import { Counter, Gauge, Histogram, type Registry } from '@gerbang/runtime';

/** One helper a business event. */
export type Metrics = {
  stored(service: string, fate: string): void;
  attempted(outcome: 'acknowledged' | 'refused' | 'unanswered', durationMs: number): void;
  /** Business time from the event to its acknowledgement. */
  delivered(latencyMs: number): void;
  givenUp(): void;
};

/** `countDue` is asked whenever the metrics are read. */
export function createNotifierMetrics(registry: Registry, countDue: () => Promise<number>): Metrics {
  const stored = new Counter({
    name: 'gerbang_events_stored_total',
    help: 'Events stored, by what became of them',
    labelNames: ['source', 'fate'],
    registers: [registry],
  });
  const attempts = new Counter({
    name: 'gerbang_webhook_attempts_total',
    help: 'Attempts to deliver a webhook',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'gerbang_webhook_attempt_seconds',
    help: 'How long attempts took',
    labelNames: ['outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const latency = new Histogram({
    name: 'gerbang_webhook_latency_seconds',
    help: 'From the event to its acknowledgement, business time',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600, 3_600, 21_600, 86_400],
    registers: [registry],
  });
  const givenUp = new Counter({
    name: 'gerbang_webhooks_failed_total',
    help: 'Webhooks given up after the last attempt of the schedule',
    registers: [registry],
  });
  new Gauge({
    name: 'gerbang_webhook_backlog',
    help: 'Webhooks that are still to be attempted',
    registers: [registry],
    async collect() {
      this.set(await countDue());
    },
  });
  return {
    stored: (source, fate) => stored.inc({ source, fate }),
    attempted(outcome, durationMs) {
      attempts.inc({ outcome });
      duration.observe({ outcome }, durationMs / 1_000);
    },
    delivered: (latencyMs) => latency.observe(Math.max(0, latencyMs) / 1_000),
    givenUp: () => givenUp.inc(),
  };
}
