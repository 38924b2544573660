import { Counter, Histogram, type Registry } from '@gerbang/runtime';
import type { Published } from './binding/state.ts';
import type { ChargeState, PublishedCharge } from './charge/state.ts';
import type { Kind } from './discrepancy/discrepancy.ts';

/** One helper a business event. */
export type Metrics = {
  /** A binding has come to be, has ended, or could not be ended. */
  bindingChanged(published: Published, bankCode: string): void;
  /** A charge or a refund has come to its end. */
  chargeChanged(published: PublishedCharge, bankCode: string, status: ChargeState['status']): void;
  settled(): void;
  /** From the order of a charge to its credit, business time. */
  credited(ms: number): void;
  otp(what: 'binding' | 'charge' | 'unbinding', result: string): void;
  tokensRefreshed(result: 'issued' | 'refused' | 'unknown'): void;
  /** The bank says something else than it did before. */
  contradicted(kind: Kind): void;
  timeNotBelieved(): void;
};

export function createDirectDebitMetrics(registry: Registry): Metrics {
  const registers = [registry];
  const bindings = new Counter({
    name: 'gerbang_direct_debit_bindings_total',
    help: 'Bindings by what has become of them',
    labelNames: ['event', 'bank'],
    registers,
  });
  const charges = new Counter({
    name: 'gerbang_direct_debit_charges_total',
    help: 'Charges and refunds that have come to their end',
    labelNames: ['event', 'bank', 'status'],
    registers,
  });
  const settled = new Counter({ name: 'gerbang_direct_debit_settled_total', help: 'Charges that have settled', registers });
  const duration = new Histogram({
    name: 'gerbang_direct_debit_charge_duration_seconds',
    help: 'From the order of a charge to its credit, business time',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 3, 10, 60, 300, 3600],
    registers,
  });
  const otps = new Counter({
    name: 'gerbang_direct_debit_otps_total',
    help: 'OTPs by what they are for and what the bank has said',
    labelNames: ['purpose', 'result'],
    registers,
  });
  const tokens = new Counter({
    name: 'gerbang_direct_debit_token_refreshes_total',
    help: "Refreshes of customers' tokens",
    labelNames: ['result'],
    registers,
  });
  const contradictions = new Counter({
    name: 'gerbang_rail_contradictions_total',
    help: 'Reports of a rail that contradict what it said before',
    labelNames: ['rail', 'report'],
    registers,
  });
  const timesNotBelieved = new Counter({
    name: 'gerbang_rail_times_not_believed_total',
    help: 'Payments whose time, as the rail tells it, cannot be true',
    labelNames: ['rail'],
    registers,
  });
  timesNotBelieved.inc({ rail: 'direct-debit' }, 0);
  return {
    bindingChanged: (event, bank) => bindings.inc({ event, bank }),
    chargeChanged: ({ event }, bank, status) => charges.inc({ event, bank, status }),
    settled: () => settled.inc(),
    credited: (ms) => duration.observe(Math.max(0, ms) / 1_000),
    otp: (purpose, result) => otps.inc({ purpose, result }),
    tokensRefreshed: (result) => tokens.inc({ result }),
    contradicted: (kind) => contradictions.inc({ rail: 'direct-debit', report: kind === 'surplus' ? 'paid' : 'not-paid' }),
    timeNotBelieved: () => timesNotBelieved.inc({ rail: 'direct-debit' }),
  };
}
