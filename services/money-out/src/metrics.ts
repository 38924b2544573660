import { Counter, Histogram, type Registry } from '@gerbang/runtime';
import type { TransferOrder } from './transfer/stored-transfer.ts';
import type { TransferState } from './transfer/transfer.ts';

/** One helper a business event. */
export type Metrics = {
  accepted(): void;
  finished(order: TransferOrder, status: TransferState['status'], nowMs: number): void;
  contradicted(): void;
  accountTransferred(): void;
};

export function createTransferMetrics(registry: Registry): Metrics {
  const accepted = new Counter({
    name: 'gerbang_transfers_accepted_total',
    help: 'Transfers whose funds are held',
    registers: [registry],
  });
  const finished = new Counter({
    name: 'gerbang_transfers_finished_total',
    help: 'Transfers with a final status',
    labelNames: ['status', 'bank'],
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
    help: 'Answers of the rail that contradict an earlier one',
    registers: [registry],
  });
  const accountTransfers = new Counter({
    name: 'gerbang_account_transfers_total',
    help: "Transfers between merchants' own accounts",
    registers: [registry],
  });
  return {
    accepted: () => accepted.inc(),
    finished(order, status, nowMs) {
      finished.inc({ status, bank: order.bankCode });
      duration.observe(Math.max(0, nowMs - order.createdAtMs) / 1_000);
    },
    contradicted: () => contradictions.inc(),
    accountTransferred: () => accountTransfers.inc(),
  };
}
