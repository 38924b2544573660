import { Counter, Gauge, Histogram, type Registry } from '@gerbang/runtime';

/** One helper a business event. */
export type Metrics = {
  /** `outcome` is that of the biller's answer. */
  inquired(command: string, outcome: string): void;
  accepted(command: string): void;
  finished(command: string, status: 'succeeded' | 'failed', durationMs: number): void;
  /** The biller has given a token that another purchase has got. */
  duplicateToken(): void;
  /** The biller has said the opposite of what the ledger has booked. */
  contradicted(): void;
};

/** `countUnresolved`: purchases that operators have to decide. */
export function createBillerMetrics(registry: Registry, countUnresolved: () => Promise<number>): Metrics {
  const registers = [registry];
  const inquiries = new Counter({
    name: 'gerbang_biller_inquiries_total',
    help: 'Customers asked about, and what the biller knows',
    labelNames: ['command', 'outcome'],
    registers,
  });
  const accepted = new Counter({
    name: 'gerbang_biller_purchases_accepted_total',
    help: 'Purchases whose price is held',
    labelNames: ['command'],
    registers,
  });
  const finished = new Counter({
    name: 'gerbang_biller_purchases_finished_total',
    help: 'Purchases that have come to a final status',
    labelNames: ['command', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'gerbang_biller_purchase_duration_seconds',
    help: 'From the payment to the final status, business time',
    buckets: [0.1, 0.25, 0.5, 1, 3, 10, 60, 600, 3600],
    registers,
  });
  const duplicateTokens = new Counter({
    name: 'gerbang_biller_duplicate_tokens_total',
    help: 'Tokens that the biller had given to another purchase; they are not handed out',
    registers,
  });
  const contradictions = new Counter({
    name: 'gerbang_rail_contradictions_total',
    help: 'Answers of the biller that contradict what it said before',
    registers,
  });
  new Gauge({
    name: 'gerbang_biller_purchases_unresolved',
    help: 'Purchases that wait for a decision of operators',
    registers,
    async collect() {
      this.set(await countUnresolved());
    },
  });
  return {
    inquired: (command, outcome) => inquiries.inc({ command, outcome }),
    accepted: (command) => accepted.inc({ command }),
    finished(command, status, durationMs) {
      finished.inc({ command, status });
      duration.observe(Math.max(0, durationMs) / 1_000);
    },
    duplicateToken: () => duplicateTokens.inc(),
    contradicted: () => contradictions.inc(),
  };
}
