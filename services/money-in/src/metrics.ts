import { Counter, Histogram, type Registry } from '@gerbang/runtime';

/** One helper a business event. */
export type Metrics = {
  created(product: string): void;
  paid(product: string, durationMs: number): void;
  settled(product: string): void;
  expired(product: string): void;
  asked(rail: string, outcome: string): void;
  rejected(rail: string, reason: string): void;
  /** `outcome`: who gave the money back, account or suspense; or contested. */
  reversed(product: string, outcome: string): void;
  contradicted(): void;
  timeNotBelieved(rail: string): void;
};

/** `rails`: whose alerts begin to count from 0. */
export function createMoneyInMetrics(registry: Registry, rails: readonly string[]): Metrics {
  const registers = [registry];
  const created = new Counter({
    name: 'gerbang_payables_created_total',
    help: 'What customers can pay',
    labelNames: ['product'],
    registers,
  });
  const paid = new Counter({
    name: 'gerbang_payments_total',
    help: 'Payments that were credited',
    labelNames: ['product'],
    registers,
  });
  const duration = new Histogram({
    name: 'gerbang_payment_duration_seconds',
    help: 'From what the rail has told to the credit, business time',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3, 10, 60],
    registers,
  });
  const settled = new Counter({
    name: 'gerbang_payments_settled_total',
    help: 'Payments that have settled',
    labelNames: ['product'],
    registers,
  });
  const expired = new Counter({
    name: 'gerbang_payables_expired_total',
    help: 'Payment requests whose time was over',
    labelNames: ['product'],
    registers,
  });
  const asked = new Counter({
    name: 'gerbang_rail_inquiries_total',
    help: 'Rails asked what has become of an overdue payment request, and what they know',
    labelNames: ['rail', 'outcome'],
    registers,
  });
  const rejected = new Counter({
    name: 'gerbang_payments_rejected_total',
    help: 'Payments that fit nothing, refused or in suspense',
    labelNames: ['rail', 'reason'],
    registers,
  });
  const reversed = new Counter({
    name: 'gerbang_payment_reversals_total',
    help: 'Payments that their rails have reversed after they were credited, and who gave the money back',
    labelNames: ['product', 'outcome'],
    registers,
  });
  const contradictions = new Counter({
    name: 'gerbang_rail_contradictions_total',
    help: 'What rails have told that contradicts what they told before',
    registers,
  });
  const timesNotBelieved = new Counter({
    name: 'gerbang_rail_times_not_believed_total',
    help: 'Payments whose time, as the rail tells it, cannot be true',
    labelNames: ['rail'],
    registers,
  });
  for (const rail of rails) timesNotBelieved.inc({ rail }, 0);
  return {
    created: (product) => created.inc({ product }),
    paid(product, durationMs) {
      paid.inc({ product });
      duration.observe(Math.max(0, durationMs) / 1_000);
    },
    settled: (product) => settled.inc({ product }),
    expired: (product) => expired.inc({ product }),
    asked: (rail, outcome) => asked.inc({ rail, outcome }),
    rejected: (rail, reason) => rejected.inc({ rail, reason }),
    reversed: (product, outcome) => reversed.inc({ product, outcome }),
    contradicted: () => contradictions.inc(),
    timeNotBelieved: (rail) => timesNotBelieved.inc({ rail }),
  };
}
