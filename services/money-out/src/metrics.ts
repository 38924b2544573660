import { Counter, Histogram, type Registry } from '@gerbang/runtime';
import type { StoredTransfer } from './transfer/document.ts';
import type { LimitPeriod } from './transfer/quota.ts';
import type { Ended } from './transfer/state.ts';

/** One helper a business event. */
export type Metrics = {
  accepted(): void;
  /** The same payment was ordered under another reference just before. */
  possiblyDuplicated(product: string): void;
  /** An order was refused by a bound that operators have set. */
  limitRefused(product: string, period: LimitPeriod): void;
  finished(transfer: StoredTransfer, status: Ended['status'], nowMs: number): void;
  /** A transfer that had ended has another end now. */
  corrected(transfer: StoredTransfer, status: Ended['status']): void;
  /** The rail has reported that money came back, or that it was paid all the same. */
  contradicted(rail: string, report: 'returned' | 'paid'): void;
  accountTransferred(): void;
};

export function createTransferMetrics(registry: Registry): Metrics {
  const accepted = new Counter({
    name: 'gerbang_transfers_accepted_total',
    help: 'Transfers whose funds are held',
    registers: [registry],
  });
  const duplicates = new Counter({
    name: 'gerbang_transfers_possible_duplicates_total',
    help: 'Accepted transfers whose beneficiary and amount were ordered from the account within 5 minutes before',
    labelNames: ['product'],
    registers: [registry],
  });
  const limitRefusals = new Counter({
    name: 'gerbang_transfers_limit_refusals_total',
    help: 'Orders refused by a limit of the merchant: of a transaction, of a day or of a month',
    labelNames: ['product', 'period'],
    registers: [registry],
  });
  const finished = new Counter({
    name: 'gerbang_transfers_finished_total',
    help: 'Transfers that have come to a final status; one that is corrected counts again',
    labelNames: ['product', 'status', 'channel'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'gerbang_transfer_duration_seconds',
    help: 'From acceptance to the final status, business time',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 3, 10, 60, 600, 3600],
    registers: [registry],
  });
  const contradictions = new Counter({
    name: 'gerbang_rail_contradictions_total',
    help: 'Reports of a rail that contradict what it said before',
    labelNames: ['rail', 'report'],
    registers: [registry],
  });
  const accountTransfers = new Counter({
    name: 'gerbang_account_transfers_total',
    help: "Transfers between merchants' own accounts",
    registers: [registry],
  });
  const count = ({ product, document }: StoredTransfer, status: Ended['status']) =>
    finished.inc({ product: product.name, status, channel: product.channelOf(document) });
  return {
    accepted: () => accepted.inc(),
    possiblyDuplicated: (product) => duplicates.inc({ product }),
    limitRefused: (product, period) => limitRefusals.inc({ product, period }),
    finished(transfer, status, nowMs) {
      count(transfer, status);
      duration.observe(Math.max(0, nowMs - transfer.order.createdAtMs) / 1_000);
    },
    corrected: count,
    contradicted: (rail, report) => contradictions.inc({ rail, report }),
    accountTransferred: () => accountTransfers.inc(),
  };
}
