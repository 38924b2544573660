import type { CardBrand } from '@gerbang/core';
import { Counter, Histogram, type Registry } from '@gerbang/runtime';
import type { Published } from './payment/state.ts';

/** One helper a business event. */
export type Metrics = {
  /** A payment has succeeded, failed, or was cancelled or refunded. `code`: the acquirer's, of one that has failed. */
  finished(published: Published, brand: CardBrand, code: string): void;
  /** From the order to the credit, business time. */
  credited(ms: number): void;
  /** The acquirer says something else than it did before. */
  contradicted(report: string): void;
};

export function createCardMetrics(registry: Registry): Metrics {
  const registers = [registry];
  const payments = new Counter({
    name: 'gerbang_card_payments_total',
    help: 'Card payments by what has become of them',
    labelNames: ['event', 'brand', 'code'],
    registers,
  });
  const duration = new Histogram({
    name: 'gerbang_card_credit_duration_seconds',
    help: 'From the order of a card payment to its credit, business time',
    buckets: [1, 10, 30, 60, 300, 3600, 86_400],
    registers,
  });
  const contradictions = new Counter({
    name: 'gerbang_rail_contradictions_total',
    help: 'Reports of a rail that contradict what it said before',
    labelNames: ['rail', 'report'],
    registers,
  });
  return {
    finished: (event, brand, code) => payments.inc({ event, brand, code: /^[A-Z0-9_]{0,32}$/.test(code) ? code : 'other' }),
    credited: (ms) => duration.observe(Math.max(0, ms) / 1_000),
    contradicted: (report) => contradictions.inc({ rail: 'card', report }),
  };
}
