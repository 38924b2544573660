import { create } from '@bufbuild/protobuf';
import { type Clock, createClock, newUlid, parseKeyRing } from '@gerbang/core';
import { createKeys, type Keys, openEnvKeys } from '@gerbang/keys';
import { AccountSchema, type Profile, ProfileSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { CardData, DEFAULT_TERMS, parseAcquirerTerms } from '@gerbang/rails/card';
import { BackgroundWork } from '@gerbang/runtime';
import { connectStore, openIdempotencyKeys, type Store } from '@gerbang/store';
import { type Dying, dying, startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import type { ContractLedger } from '@gerbang/testkit/ledger';
import { afterAll, beforeAll, expect } from 'vitest';
import { onChargebackDue } from '../src/chargeback/advance.ts';
import { type ChargebackStore, openChargebackStore } from '../src/chargeback/store.ts';
import type { Context } from '../src/context.ts';
import { type CycleStore, openCycleStore } from '../src/cycle/store.ts';
import { NO_VELOCITY, type Velocity } from '../src/limits/velocity.ts';
import type { Metrics } from '../src/metrics.ts';
import type { StoredPayment } from '../src/payment/document.ts';
import { newLatelyAsked } from '../src/payment/lately-asked.ts';
import { untold } from '../src/payment/link-standing.ts';
import { onDue } from '../src/payment/on-due.ts';
import { paymentId } from '../src/payment/own.ts';
import type { NewPayment } from '../src/payment/place.ts';
import { nextDueMs } from '../src/payment/schedule.ts';
import { openPaymentStore, type PaymentStore } from '../src/payment/store.ts';
import { onChargeFinished, onPlanDue } from '../src/plan/advance.ts';
import type { StoredPlan } from '../src/plan/document.ts';
import { watchOutage } from '../src/plan/outage.ts';
import { openPlanStore, type PlanStore } from '../src/plan/store.ts';
import { openVault, type Vault } from '../src/vault/vault.ts';
import type { newAcquirer } from './scripted-acquirer.ts';

/** Keys of the vault; each kid has a key of its own. */
export function testKeys(...kids: string[]): Keys<'card-number'> {
  const names = kids.length === 0 ? ['k1'] : kids;
  const ring = parseKeyRing(names.map((kid) => `${kid}:${Buffer.alloc(32, kid).toString('base64')}`).join(','));
  return createKeys(['card-number'], [openEnvKeys(ring ?? expect.fail('no key ring'))]);
}

const unused = () => Promise.reject(new Error('not part of this test'));
const NO_LINKS: Context['links'] = { beginCardPayment: unused, reportCardPayment: unused };
export const MERCHANT = newUlid(Date.now());
export const ACCOUNT = newUlid(Date.now());

/** Canaries: numbers that must be found nowhere. The number is Luhn-valid. */
export const NUMBER = '4242428173645196';
export const CVV = '917';
export const card = () => new CardData({ number: NUMBER, expiry: '12/39', cvv: CVV, holderName: 'BUDI SANTOSO' });

export function newOrder(over: Partial<NewPayment> = {}): NewPayment {
  return {
    merchantId: MERCHANT,
    accountId: ACCOUNT,
    amountSen: 250_000_00n,
    installment: 1,
    installmentMonths: 1,
    cardHolderName: 'BUDI SANTOSO',
    customer: { name: 'Budi', email: 'budi@example.com', phone: '081234567890' },
    merchantReffNo: 'order-1',
    redirectUrl: '',
    ...over,
  };
}

export const newId = () => paymentId(newUlid(Date.now()));

type Options = {
  clock?: Clock;
  fees?: Profile['fees'];
  limits?: Profile['limits'];
  terms?: string;
  velocity?: Velocity;
  links?: Context['links'];
};

/** The service's parts on a database of their own, without rpc and timers, so that a test can stop them between any two steps. */
export function useParts() {
  let mongo: TestMongo;
  let store: Store;
  let payments: PaymentStore;
  let plans: PlanStore;
  let cycles: CycleStore;
  let vault: Vault;
  let chargebacks: ChargebackStore;
  beforeAll(async () => {
    mongo = await startTestMongo();
    store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}parts`, appName: 'test' });
    payments = await openPaymentStore(store, () => {});
    plans = await openPlanStore(store, () => {});
    cycles = await openCycleStore(store, () => {});
    vault = await openVault(store, testKeys());
    chargebacks = await openChargebackStore(store, () => {});
  });
  afterAll(async () => {
    await store?.close();
    await mongo?.stop();
  });

  const newContext = async (
    acquirer: ReturnType<typeof newAcquirer>,
    ledger: ContractLedger,
    { guard }: Dying = dying(),
    options: Options = {},
  ): Promise<Context> => {
    const {
      clock = createClock(),
      fees = [],
      limits = [],
      terms = DEFAULT_TERMS,
      velocity = NO_VELOCITY,
      links = NO_LINKS,
    } = options;
    const parsed = parseAcquirerTerms(terms);
    if (parsed === undefined) return expect.fail('no terms');
    const profile = async (merchantId: string) =>
      create(ProfileSchema, { merchantId, partition: 'p0', name: 'Toko', products: ['card'], fees, limits });
    const account = async (merchantId: string, accountId: string) => create(AccountSchema, { merchantId, accountId });
    const { rail } = acquirer;
    const context: Context = {
      payments: {
        ...payments,
        insertOrFind: guard(payments.insertOrFind),
        find: guard(payments.find),
        apply: guard(payments.apply),
        applyTold: guard(payments.applyTold),
      },
      plans: {
        ...plans,
        insertOrFind: guard(plans.insertOrFind),
        find: guard(plans.find),
        apply: guard(plans.apply),
        wait: guard(plans.wait),
      },
      cycles: {
        ...cycles,
        insertOrFind: guard(cycles.insertOrFind),
        find: guard(cycles.find),
        apply: guard(cycles.apply),
      },
      chargebacks: {
        ...chargebacks,
        insertOrFind: guard(chargebacks.insertOrFind),
        find: guard(chargebacks.find),
        apply: guard(chargebacks.apply),
      },
      vault: {
        ...vault,
        keep: guard(vault.keep),
        confirm: guard(vault.confirm),
        watch: guard(vault.watch),
        reveal: guard(vault.reveal),
        release: guard(vault.release),
      },
      velocity,
      rail: {
        ...rail,
        authorise: guard(rail.authorise),
        capture: guard(rail.capture),
        void: guard(rail.void),
        refund: guard(rail.refund),
        resolve: guard(rail.resolve),
        inquire: rail.inquire && guard(rail.inquire),
        ...(rail.inquireChargeback && { inquireChargeback: guard(rail.inquireChargeback) }),
      },
      outage: watchOutage({ slots: 32 }),
      terms: parsed,
      links: { beginCardPayment: guard(links.beginCardPayment), reportCardPayment: guard(links.reportCardPayment) },
      ledger: { post: guard(ledger.post), getBalance: unused, verify: unused },
      merchants: {
        profile,
        account,
        admit: async (merchantId, _product, accountId) => ({
          profile: await profile(merchantId),
          account: await account(merchantId, accountId),
        }),
        admitProduct: profile,
        close: async () => {},
      },
      idempotencyKeys: await openIdempotencyKeys(store, clock),
      settlesAt: (_product, capturedAtMs) => capturedAtMs + 5_000,
      payUrl: 'http://pay',
      captureAfterMs: 30_000,
      challengeMs: 900_000,
      railTimeoutMs: 1_000,
      planRetryMs: 2_000,
      chargebackFeeSen: 0n,
      suspensePartition: 'p0',
      onChargeFinished: (planId) => onChargeFinished(context, planId),
      clock,
      log: testLog(),
      metrics: NO_METRICS,
      background: new BackgroundWork(),
      inProgress: new Set(),
      latelyAsked: newLatelyAsked(clock),
    };
    return context;
  };

  const find = async (id: string) => (await payments.find(id)) ?? expect.fail('no payment');

  return {
    newContext,
    find,
    store: () => store,
    vault: () => vault,
    cycles: () => cycles,
    async findPlan(id: string): Promise<StoredPlan> {
      return (await plans.find(id, { linearizable: true })) ?? expect.fail('no plan');
    },
    /** The timers of a plan and of its open charge in all replicas at once, as time goes by, until `untilMs` or nothing is left to do. */
    async firePlanTimers(replicas: readonly Context[], clock: ReturnType<typeof createClock>, id: string, untilMs: number) {
      for (let round = 0; round < 400; round++) {
        await Promise.all(replicas.map(({ background }) => background.settled()));
        const plan = (await plans.find(id, { linearizable: true })) ?? expect.fail('no plan');
        const dueMs = plan.document.due_at?.getTime();
        if (dueMs === undefined || dueMs > untilMs) return plan;
        if (dueMs > clock.now()) clock.setOffset(clock.offsetMs() + dueMs - clock.now());
        const cycle = plan.state.open && (await cycles.find(id, plan.state.open.cycle));
        const payment = cycle && (await payments.find(cycle.state.attempt.paymentId));
        if ((payment?.document.due_at?.getTime() ?? Number.POSITIVE_INFINITY) <= clock.now() && payment !== undefined)
          await Promise.all(replicas.map((replica) => onDue(replica, payment)));
        await Promise.all(replicas.map((replica) => onPlanDue(replica, plan)));
      }
      return expect.fail('the plan does not come to rest');
    },
    async findChargeback(id: string) {
      return (await chargebacks.find(id, { linearizable: true })) ?? expect.fail('no chargeback');
    },
    /** The timers of a chargeback in all replicas at once, as time goes by until nothing is left to do. */
    async fireChargebackTimers(replicas: readonly Context[], clock: ReturnType<typeof createClock>, id: string) {
      for (let round = 0; round < 60; round++) {
        const chargeback = (await chargebacks.find(id, { linearizable: true })) ?? expect.fail('no chargeback');
        const dueMs = chargeback.document.due_at?.getTime();
        if (dueMs === undefined) return chargeback;
        if (dueMs > clock.now()) clock.setOffset(clock.offsetMs() + dueMs - clock.now());
        await Promise.all(replicas.map((replica) => onChargebackDue(replica, chargeback)));
      }
      return expect.fail('the chargeback does not come to rest');
    },
    /** Every document of the database, as text. */
    async everything(): Promise<string> {
      const names = [
        'card_payments',
        'card_plans',
        'card_cycles',
        'card_chargebacks',
        'card_tokens',
        'card_claims',
        'vault_secrets',
        'idempotency_keys',
        'card_velocity',
      ];
      const documents = await Promise.all(names.map((name) => store.collection(name).find({}).toArray()));
      return JSON.stringify(documents.flat(), (_key, value) => (typeof value === 'bigint' ? String(value) : value));
    },
    /** The timers of two replicas, at once, as time goes by until `untilMs` or nothing is left to do. */
    async fireTimers(replicas: readonly Context[], clock: ReturnType<typeof createClock>, id: string, untilMs: number) {
      for (let round = 0; round < 60; round++) {
        const payment = await find(id);
        const dueMs = payment.document.due_at?.getTime();
        if (dueMs === undefined || isAtRest(payment, clock.now()) || dueMs > untilMs) return payment;
        if (dueMs > clock.now()) clock.setOffset(clock.offsetMs() + dueMs - clock.now());
        await Promise.all(replicas.map((replica) => onDue(replica, payment)));
      }
      return expect.fail('the payment does not come to rest');
    },
  };
}

const NO_METRICS: Metrics = {
  finished() {},
  authorised() {},
  authenticated() {},
  velocityRefused() {},
  cycleIs() {},
  credited() {},
  contradicted() {},
  chargeback() {},
  cardsSwept() {},
};

/** Nothing is left to do, and money-in knows of it. */
function isAtRest(payment: StoredPayment, nowMs: number): boolean {
  return nextDueMs(payment.state, nowMs) === undefined && untold(payment) === undefined;
}

export type Parts = ReturnType<typeof useParts>;
export const eventsOf = ({ document }: StoredPayment) => document.tail.map(({ event }) => event.replace('card-transaction.', ''));
