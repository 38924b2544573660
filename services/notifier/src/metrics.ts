import { Counter, Gauge, Histogram, type Registry } from '@gerbang/runtime';
import { partsOfEndpoint } from './delivery/delivery.ts';
import type { EndpointSummary } from './delivery/endpoint-stats.ts';

/** One helper for each business event. */
export type Metrics = {
  stored(service: string, outcome: string): void;
  /** An event that was unreadable, by its outcome now. */
  replayed(service: string, outcome: string): void;
  attempted(outcome: 'acknowledged' | 'refused' | 'unanswered', durationMs: number): void;
  /** Business time from the event to its acknowledgement. */
  delivered(latencyMs: number): void;
  givenUp(): void;
};

/** What the metrics ask whenever they are read. */
export type Sources = {
  countDue(): Promise<number>;
  countUnreadable(): Promise<number>;
  /** The endpoints that have series of their own; their number bounds the number of series. */
  worstEndpoints(): EndpointSummary[];
  backlogOf(endpoint: string): Promise<{ count: number; dueSinceMs: number | undefined }>;
  /** Business time. */
  nowMs(): number;
};

export function createNotifierMetrics(registry: Registry, sources: Sources): Metrics {
  const stored = new Counter({
    name: 'gerbang_events_stored_total',
    help: 'Events stored, by their outcome',
    labelNames: ['source', 'fate'],
    registers: [registry],
  });
  const replayed = new Counter({
    name: 'gerbang_events_replayed_total',
    help: 'Events replayed that were unreadable, by what they are now',
    labelNames: ['source', 'fate'],
    registers: [registry],
  });
  new Gauge({
    name: 'gerbang_events_unreadable',
    help: 'Events that could not be read or rendered and wait to be replayed',
    registers: [registry],
    async collect() {
      this.set(await sources.countUnreadable());
    },
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
      this.set(await sources.countDue());
    },
  });
  registerEndpoints(registry, sources);
  return {
    // Dashboards use the label `fate`.
    stored: (source, outcome) => stored.inc({ source, fate: outcome }),
    replayed: (source, outcome) => replayed.inc({ source, fate: outcome }),
    attempted(outcome, durationMs) {
      attempts.inc({ outcome });
      duration.observe({ outcome }, durationMs / 1_000);
    },
    delivered: (latencyMs) => latency.observe(Math.max(0, latencyMs) / 1_000),
    givenUp: () => givenUp.inc(),
  };
}

type EndpointReading = EndpointSummary & {
  labels: { merchant_id: string; endpoint: string };
  backlog: number;
  overdueMs: number;
};

/** Each metric is collected by itself; within this time they share one reading, so that they show the same moment. */
const SAME_READING_MS = 500;

/** Metrics of the endpoints that most need attention. These change, so each reading sets all of them anew. */
function registerEndpoints(registry: Registry, { worstEndpoints, backlogOf, nowMs }: Sources): void {
  const read = (summary: EndpointSummary) => readEndpoint(summary, backlogOf, nowMs());
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<EndpointReading[]> = Promise.resolve([]);
  const readings = () => {
    if (performance.now() - readAtMs > SAME_READING_MS) {
      readAtMs = performance.now();
      reading = Promise.all(worstEndpoints().map(read));
    }
    return reading;
  };
  const gauge = (name: string, help: string, values: (of: EndpointReading) => { value: number; quantile?: string }[]) =>
    new Gauge({
      name: `gerbang_webhook_endpoint_${name}`,
      help,
      labelNames: ['merchant_id', 'endpoint', 'quantile'],
      registers: [registry],
      async collect() {
        const found = await readings();
        this.reset();
        for (const each of found) for (const { value, ...more } of values(each)) this.set({ ...each.labels, ...more }, value);
      },
    });
  gauge('success_ratio', 'Part of the newest attempts that an endpoint has acknowledged', ({ successRatio }) => [
    { value: successRatio },
  ]);
  gauge('attempt_seconds', 'How long the newest attempts took', ({ p50Ms, p99Ms }) => [
    { value: p50Ms / 1_000, quantile: '0.5' },
    { value: p99Ms / 1_000, quantile: '0.99' },
  ]);
  gauge('backlog', 'Webhooks that are still to be attempted, counted up to 10,000', ({ backlog }) => [{ value: backlog }]);
  gauge('overdue_seconds', 'How long the longest waiting webhook has been due, business time', ({ overdueMs }) => [
    { value: overdueMs / 1_000 },
  ]);
}

async function readEndpoint(summary: EndpointSummary, backlogOf: Sources['backlogOf'], nowMs: number): Promise<EndpointReading> {
  const { count, dueSinceMs = nowMs } = await backlogOf(summary.endpoint);
  const { merchantId, origin } = partsOfEndpoint(summary.endpoint);
  const labels = { merchant_id: merchantId, endpoint: origin };
  return { ...summary, labels, backlog: count, overdueMs: Math.max(0, nowMs - dueSinceMs) };
}
