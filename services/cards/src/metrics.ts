import type { CardBrand } from '@gerbang/core';
import { Counter, Gauge, Histogram, type Registry } from '@gerbang/runtime';
import type { CycleState } from './cycle/cycle.ts';
import { COUNTED_BY, type CountedBy } from './limits/limit.ts';
import type { AuthenticationOutcome, AuthorisationOutcome } from './payment/outcome.ts';
import type { Published } from './payment/state.ts';
import type { OpenPlanStatus } from './plan/gauges.ts';
import type { Vault } from './vault/vault.ts';

/** One helper a business event. */
export type Metrics = {
  /** A payment has succeeded, failed, or was cancelled or refunded. `code`: the acquirer's, of one that has failed. */
  finished(published: Published, brand: CardBrand, code: string): void;
  /** The acquirer has said what has come of an authorisation, or has not answered it at once. */
  authorised(brand: CardBrand, outcome: AuthorisationOutcome): void;
  /** What has come of a customer's 3-D Secure. */
  authenticated(brand: CardBrand, outcome: AuthenticationOutcome): void;
  /** A payment was not sent, because it looks like card testing. */
  velocityRefused(by: CountedBy): void;
  /** A plan's cycle was charged, has failed for good, or is to be tried again. */
  cycleIs(status: CycleState['status']): void;
  /** From the order to the credit, business time. */
  credited(ms: number): void;
  /** The acquirer says something else than it did before. */
  contradicted(report: string): void;
  /** A chargeback was opened (unmatched: of an unknown payment), won or lost. `code`: the card network's reason. */
  chargeback(what: string, code: string): void;
  /** Kept cards that nothing used were deleted. */
  cardsSwept(count: number): void;
};

/** What the metrics ask whenever they are read. */
export type Sources = {
  /** The acquirer's name. */
  acquirer: string;
  countPlans(): Promise<ReadonlyMap<OpenPlanStatus, number>>;
  /** How long the plan that has waited longest has been due. */
  planLagMs(): Promise<number>;
};

export function createCardMetrics(registry: Registry, sources: Sources): Metrics {
  const registers = [registry];
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
  const chargebacks = new Counter({
    name: 'gerbang_card_chargebacks_total',
    help: 'Chargebacks of card payments by what has become of them',
    labelNames: ['event', 'code'],
    registers: [registry],
  });
  const swept = new Counter({
    name: 'gerbang_card_tokens_swept_total',
    help: 'Kept cards that nothing used, and that were deleted',
    registers,
  });
  return {
    ...paymentMetrics(registry, sources.acquirer),
    ...planMetrics(registry, sources),
    credited: (ms) => duration.observe(Math.max(0, ms) / 1_000),
    chargeback: (event, code) => chargebacks.inc({ event, code: /^[A-Za-z0-9._-]{0,16}$/.test(code) ? code : 'other' }),
    contradicted: (report) => contradictions.inc({ rail: 'card', report }),
    cardsSwept: (count) => swept.inc(count),
  };
}

/** An acquirer's code as a label: what is no code is one label. */
const labelOf = (code: string) => (/^[A-Z0-9_]{0,32}$/.test(code) ? code : 'other');

function paymentMetrics(registry: Registry, acquirer: string) {
  const registers = [registry];
  const payments = new Counter({
    name: 'gerbang_card_payments_total',
    help: 'Card payments by what has become of them',
    labelNames: ['event', 'brand', 'code'],
    registers,
  });
  const authorisations = new Counter({
    name: 'gerbang_card_authorisations_total',
    help: 'Authorisations by what the acquirer has said of them; unknown: its first answer was none, or pending',
    labelNames: ['acquirer', 'brand', 'outcome', 'code'],
    registers,
  });
  const authentications = new Counter({
    name: 'gerbang_card_3ds_total',
    help: 'Customers who were to be authenticated, and what has come of it',
    labelNames: ['brand', 'outcome'],
    registers,
  });
  const refusals = new Counter({
    name: 'gerbang_card_velocity_refusals_total',
    help: 'Card payments that were not sent because they look like card testing, by what was counted',
    labelNames: ['by'],
    registers,
  });
  // An increase from nothing to something is none to Prometheus.
  for (const by of COUNTED_BY) refusals.inc({ by }, 0);
  return {
    finished: (event: Published, brand: CardBrand, code: string) => payments.inc({ event, brand, code: labelOf(code) }),
    authorised: (brand: CardBrand, { outcome, code }: AuthorisationOutcome) =>
      authorisations.inc({ acquirer, brand, outcome, code: labelOf(code) }),
    authenticated: (brand: CardBrand, outcome: AuthenticationOutcome) => authentications.inc({ brand, outcome }),
    velocityRefused: (by: CountedBy) => refusals.inc({ by }),
  };
}

function planMetrics(registry: Registry, sources: Sources) {
  const registers = [registry];
  const cycles = new Counter({
    name: 'gerbang_card_cycles_total',
    help: 'Charges of subscriptions that have succeeded, have failed for good, or are to be tried again',
    labelNames: ['status'],
    registers,
  });
  for (const status of ['success', 'failed', 'retrying']) cycles.inc({ status }, 0);
  new Gauge({
    name: 'gerbang_card_plans',
    help: 'Subscriptions that have not ended; every replica counts all',
    labelNames: ['status'],
    registers,
    async collect() {
      for (const [status, count] of await sources.countPlans()) this.set({ status }, count);
    },
  });
  new Gauge({
    name: 'gerbang_card_plan_lag_seconds',
    help: 'How long the subscription that has waited longest has been due, business time',
    registers,
    async collect() {
      this.set((await sources.planLagMs()) / 1_000);
    },
  });
  return {
    cycleIs(status: CycleState['status']) {
      if (status !== 'processing') cycles.inc({ status });
    },
  };
}

/** The cards that are kept, of all replicas together. */
export function countTokens(registry: Registry, vault: Pick<Vault, 'count'>): void {
  new Gauge({
    name: 'gerbang_card_tokens',
    help: 'Cards that the vault keeps, of all replicas together',
    registers: [registry],
    async collect() {
      this.set(await vault.count());
    },
  });
}
