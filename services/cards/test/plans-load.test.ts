import { create } from '@bufbuild/protobuf';
import { createClock, newUlid } from '@gerbang/core';
import { CreatePlanRequestSchema, PlanInterval } from '@gerbang/proto/gerbang/cards/v1/plans';
import type { CardRail } from '@gerbang/rails/card';
import { startDueTimer } from '@gerbang/store';
import { dying, eventually, testLog } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { expect, onTestFinished, test } from 'vitest';
import type { Context } from '../src/context.ts';
import { onPlanDue } from '../src/plan/advance.ts';
import type { StoredPlanDocument } from '../src/plan/document.ts';
import { watchOutage } from '../src/plan/outage.ts';
import { createPlan } from '../src/plan/rpc/create-plan.ts';
import { PLANS } from '../src/plan/store.ts';
import { CVV, MERCHANT, NUMBER, useParts } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';

const parts = useParts();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** An acquirer that counts how many payments it has at once; `hold` may keep one. */
function countingAcquirer(hold: (holderName: string) => Promise<void> = async () => {}) {
  const acquirer = newAcquirer();
  const counts = { now: 0, most: 0 };
  const { authorise } = acquirer.rail;
  const rail: CardRail = {
    ...acquirer.rail,
    async authorise(request, card, options) {
      counts.most = Math.max(counts.most, ++counts.now);
      await hold(card.reveal().holderName);
      counts.now--;
      return authorise(request, card, options);
    },
  };
  return { ...acquirer, rail, counts };
}

/** Two replicas with `slots` charges each at once; plans are due when the clock has gone on by an hour. */
async function setUp({ slots = 8, hold }: { slots?: number; hold?: Parameters<typeof countingAcquirer>[0] } = {}) {
  const acquirer = countingAcquirer(hold);
  const clock = createClock();
  const startAtMs = BigInt(clock.now() + HOUR_MS);
  const contexts = await Promise.all([0, 1].map(() => parts.newContext(acquirer, newLedger(), dying(undefined), { clock })));
  const replicas = contexts.map((context): Context => ({ ...context, railTimeoutMs: 60_000, outage: watchOutage({ slots }) }));
  const [one] = replicas;
  if (one === undefined) return expect.fail('no replica');
  let ordered = 0;
  const order = async (accountId: string, totalCycles = 1) => {
    const expiry = `${String((ordered % 12) + 1).padStart(2, '0')}/${30 + Math.floor(ordered++ / 12)}`;
    const calendar = { name: 'Gym', amountSen: 99_000_00n, interval: PlanInterval.MONTH, intervalCount: 1, startAtMs };
    const customer = { name: 'Budi', email: 'budi@example.com', phone: '081234567890' };
    const card = { number: NUMBER, expiry, cvv: CVV, holderName: accountId };
    const request = { merchantId: MERCHANT, accountId, ...calendar, totalCycles, customer, card };
    return (await createPlan(one, create(CreatePlanRequestSchema, request))).plan?.planId ?? expect.fail('no plan');
  };
  const start = async () => {
    const timers = replicas.map((context) =>
      startDueTimer<StoredPlanDocument>({
        collection: parts.store().collection<StoredPlanDocument>(PLANS),
        clock,
        log: testLog(),
        leaseMs: 60_000,
        pollMs: 20,
        concurrency: () => context.outage.slots(),
        fairBy: 'account_id',
        handle: (document) => onPlanDue(context, context.plans.fromDocument(document)),
      }),
    );
    onTestFinished(async () => {
      for (const timer of await Promise.all(timers)) await timer.close();
    });
    await Promise.all(timers);
  };
  const paid = async (ids: readonly string[], cycles: number) => {
    const plans = await one.plans.findMany(ids);
    return plans.filter(({ state }) => state.paidCycles === cycles && state.open === undefined).length;
  };
  return { acquirer, clock, order, start, paid };
}

const newAccount = () => newUlid(Date.now());
const times = (count: number) => Array.from({ length: count });

test('100 plans that are due in one moment are charged once each by two replicas, no more of them at once than there are slots', async () => {
  const { acquirer, clock, order, start, paid } = await setUp();
  const accounts = [newAccount(), newAccount()];
  const ids = await Promise.all(times(100).map((_, i) => order(accounts[i % 2] ?? '')));
  await start();
  clock.setOffset(HOUR_MS + 1_000);
  await eventually('all are charged', async () => (await paid(ids, 1)) === 100, 60_000);
  expect(new Set(acquirer.requests.map(({ reference }) => reference)).size).toBe(100);
  expect(acquirer.requests).toHaveLength(100);
  expect(acquirer.counts.most).toBeLessThanOrEqual(2 * 8);
}, 120_000);

test('a clock that jumps a year charges each cycle of many plans once, in order', async () => {
  const { acquirer, clock, order, start, paid } = await setUp();
  const ids = await Promise.all(times(10).map(() => order(newAccount(), 12)));
  await start();
  clock.setOffset(366 * DAY_MS);
  await eventually('all are charged', async () => (await paid(ids, 12)) === ids.length, 60_000);
  for (const id of ids) {
    const cycles = await parts.cycles().list(id, { limit: 100, before: undefined });
    expect(cycles.map(({ order: { cycle } }) => cycle)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    // Each charge was sent once: under a reference of its own, that came no second time.
    const sent = acquirer.requests.map(({ reference }) => reference);
    expect(new Set(sent).size).toBe(sent.length);
    const charged = cycles.map(({ state }) =>
      acquirer.requests.findIndex(({ reference }) => reference === state.attempt.paymentId),
    );
    expect(charged).not.toContain(-1);
    expect(charged).toEqual(charged.toSorted((a, b) => b - a));
  }
}, 120_000);

test('an account whose charges take long does not hold up those of the others', async () => {
  const slow = newAccount();
  const { promise: isOver, resolve: letGo } = Promise.withResolvers<void>();
  onTestFinished(() => letGo());
  const { clock, order, start, paid, acquirer } = await setUp({
    slots: 2,
    hold: async (name) => (name === slow ? isOver : undefined),
  });
  const slowIds = await Promise.all(times(12).map(() => order(slow)));
  const fast = newAccount();
  const ids = await Promise.all(times(5).map(() => order(fast)));
  clock.setOffset(HOUR_MS + 1_000);
  await start();
  await eventually('the slow account has charges under way', () => acquirer.counts.now > 0);
  await eventually('the fast account is charged', async () => (await paid(ids, 1)) === ids.length, 60_000);
  expect(await paid(slowIds, 1)).toBe(0);
  letGo();
}, 120_000);

test('while the acquirer does not answer no charge is begun but one now and then', () => {
  let nowMs = 0;
  const outage = watchOutage({ slots: 32, nowMs: () => nowMs });
  for (let i = 0; i < 4; i++) outage.report(false);
  expect(outage.slots()).toBe(32);
  outage.report(false);
  expect(outage.slots()).toBe(0);
  nowMs += 5_000;
  expect(outage.slots()).toBe(1);
  outage.report(false);
  expect(outage.slots()).toBe(0);
  nowMs += 5_000;
  outage.report(true);
  expect(outage.slots()).toBe(32);
});
