import { Counter, Gauge, Histogram, type Registry } from '@gerbang/runtime';

/** One helper a business event. */
export type Metrics = {
  /** `route` is a pattern of the URL map, or `unknown`: never what a caller wrote. */
  answered(route: string, method: string, status: number, ms: number): void;
  opened(): void;
  /** `method` is a code of the catalogue, for instance VA_BCA. */
  chosen(method: string): void;
  /** The customer of an e-wallet checkout went on to the wallet; `channel` is a code, for instance DANA. */
  walletOpened(channel: string): void;
  watchStreams(read: () => number): void;
};

const METHODS = new Set(['GET', 'HEAD', 'POST']);

export function createCheckoutMetrics(registry: Registry): Metrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'gerbang_checkout_requests_total',
    help: 'Requests of customers, by what they were answered',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'gerbang_checkout_request_seconds',
    help: 'Time from the head of a request to the end of its answer, status streams left out',
    labelNames: ['route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const opened = new Counter({ name: 'gerbang_checkout_opened_total', help: 'Payment links opened', registers });
  const chosen = new Counter({
    name: 'gerbang_checkout_chosen_total',
    help: 'Payment methods chosen',
    labelNames: ['method'],
    registers,
  });
  const walletOpened = new Counter({
    name: 'gerbang_checkout_wallet_opened_total',
    help: 'Customers of e-wallet checkouts who went on to their wallet',
    labelNames: ['channel'],
    registers,
  });
  return {
    answered(route, method, status, ms) {
      requests.inc({ route, method: METHODS.has(method) ? method : 'other', status });
      if (!route.endsWith('/events')) seconds.observe({ route }, ms / 1_000);
    },
    opened: () => opened.inc(),
    chosen: (method) => chosen.inc({ method }),
    walletOpened: (channel) => walletOpened.inc({ channel }),
    watchStreams(read) {
      new Gauge({
        name: 'gerbang_checkout_status_streams',
        help: 'Pages that follow a payment now',
        registers,
        collect() {
          this.set(read());
        },
      });
    },
  };
}
