import { Counter, Gauge, Histogram, type Registry } from '@gerbang/runtime';
import type { Unproven } from './journal/chain.ts';

/** One helper a business event. */
export type Metrics = {
  /** `result` is "done" or a refusal's code. */
  posted(intent: string, result: string, count: number): void;
  batchCommitted(postings: number, durationMs: number): void;
  /** Postings that the projections of a partition do not have yet, and the age of the oldest, ms. */
  projectorLag(partition: string, postings: number, ageMs: number): void;
  /** Batches of a partition's journal that the chain does not prove, as a writer has come across them. */
  unproven(partition: string, what: Unproven, batches: number): void;
  /** What the accounts of a partition owe together after chargebacks. */
  owed(partition: string, sen: bigint): void;
  /** Another instance tells its lag from now on. */
  partitionLeft(partition: string): void;
};

export function createLedgerMetrics(registry: Registry): Metrics {
  const postings = new Counter({
    name: 'gerbang_ledger_postings_total',
    help: 'Postings journalled, refused ones included',
    labelNames: ['intent', 'result'],
    registers: [registry],
  });
  const batchSize = new Histogram({
    name: 'gerbang_ledger_batch_postings',
    help: 'Postings in one journal document',
    buckets: [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000],
    registers: [registry],
  });
  const commit = new Histogram({
    name: 'gerbang_ledger_commit_seconds',
    help: 'Time until a batch is durable',
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30],
    registers: [registry],
  });
  const lag = new Gauge({
    name: 'gerbang_ledger_projector_lag_postings',
    help: 'Postings that the projections do not have yet',
    labelNames: ['partition'],
    registers: [registry],
  });
  const lagSeconds = new Gauge({
    name: 'gerbang_ledger_projector_lag_seconds',
    help: 'Age of the oldest posting that the projections do not have yet',
    labelNames: ['partition'],
    registers: [registry],
  });
  const unproven = new Counter({
    name: 'gerbang_ledger_unproven_batches_total',
    help: 'Batches that a writer met in the journal and the chain does not prove; refused ones keep the partition from being served',
    labelNames: ['partition', 'result'],
    registers: [registry],
  });
  const receivable = new Gauge({
    name: 'gerbang_merchant_receivable_rupiah',
    help: 'What merchants owe because their balance was short when a chargeback was opened',
    labelNames: ['partition'],
    registers: [registry],
  });
  return {
    posted: (intent, result, count) => postings.inc({ intent, result }, count),
    batchCommitted(count, durationMs) {
      batchSize.observe(count);
      commit.observe(durationMs / 1_000);
    },
    projectorLag(partition, count, ageMs) {
      lag.set({ partition }, count);
      lagSeconds.set({ partition }, ageMs / 1_000);
    },
    unproven: (partition, result, batches) => unproven.inc({ partition, result }, batches),
    owed: (partition, sen) => receivable.set({ partition }, Number(sen) / 100),
    partitionLeft(partition) {
      lag.remove({ partition });
      receivable.remove({ partition });
    },
  };
}
