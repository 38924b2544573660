import { Counter, Gauge, Histogram, type Registry } from '@gerbang/runtime';

/** One helper a business event. */
export type Metrics = {
  /** `route` is a pattern of the URL map, or `unknown`: never what a caller wrote. */
  answered(route: string, method: string, status: number, ms: number): void;
  /** Shows how many requests of a route are under way, and how many may be. */
  watchPermits(route: string, method: string, permits: Permits): void;
};

/** Read when metrics are collected. */
export type Permits = { readonly inFlight: number; readonly limit: number };

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

export function createEdgeMetrics(registry: Registry): Metrics {
  const requests = countAnswers(registry);
  const seconds = new Histogram({
    name: 'gerbang_http_request_seconds',
    help: 'Time from the head of a request to the end of its answer',
    labelNames: ['route'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const watched: { route: string; method: string; of: Permits }[] = [];
  const gauge = (name: string, help: string, read: (of: Permits) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['route', 'method'],
      registers: [registry],
      collect() {
        for (const { route, method, of } of watched) this.set({ route, method }, read(of));
      },
    });
  gauge('gerbang_http_in_flight', 'Requests that hold a permit now', ({ inFlight }) => inFlight);
  gauge('gerbang_http_in_flight_max', 'Requests that may hold a permit; more are refused with 503', ({ limit }) => limit);
  return {
    watchPermits: (route, method, of) => void watched.push({ route, method, of }),
    answered(route, method, status, ms) {
      requests.add(route, METHODS.has(method) ? method : 'other', status);
      seconds.observe({ route }, ms / 1_000);
    },
  };
}

/** Adds up in plain numbers, which are handed over when they are collected: a labelled increment takes ten times as long. */
function countAnswers(registry: Registry): { add(route: string, method: string, status: number): void } {
  const counts = new Map<string, Map<string, Map<number, number>>>();
  new Counter({
    name: 'gerbang_http_requests_total',
    help: 'Requests of merchants, by what they were answered',
    labelNames: ['route', 'method', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [route, byMethod] of counts) {
        for (const [method, byStatus] of byMethod) {
          for (const [status, count] of byStatus) this.inc({ route, method, status }, count);
        }
      }
    },
  });
  return {
    add(route, method, status) {
      const byMethod = entryOf(counts, route);
      const byStatus = entryOf(byMethod, method);
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    },
  };
}

function entryOf<K, V>(maps: Map<string, Map<K, V>>, key: string): Map<K, V> {
  let found = maps.get(key);
  if (found === undefined) {
    found = new Map();
    maps.set(key, found);
  }
  return found;
}
