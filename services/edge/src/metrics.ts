import { Counter, Histogram, type Registry } from '@gerbang/runtime';

/** One helper a business event. */
export type Metrics = {
  /** `route` is a pattern of the URL map, or `unknown`: never what a caller wrote. */
  answered(route: string, method: string, status: number, ms: number): void;
};

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

export function createEdgeMetrics(registry: Registry): Metrics {
  const requests = new Counter({
    name: 'gerbang_http_requests_total',
    help: 'Requests of merchants, by what they were answered',
    labelNames: ['route', 'method', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'gerbang_http_request_seconds',
    help: 'Time from the head of a request to the end of its answer',
    labelNames: ['route'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return {
    answered(route, method, status, ms) {
      requests.inc({ route, method: METHODS.has(method) ? method : 'other', status });
      seconds.observe({ route }, ms / 1_000);
    },
  };
}
