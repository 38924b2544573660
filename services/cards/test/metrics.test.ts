import { create } from '@bufbuild/protobuf';
import { createClock } from '@gerbang/core';
import { CreatePlanRequestSchema, PlanInterval } from '@gerbang/proto/gerbang/cards/v1/plans';
import { Registry } from '@gerbang/runtime';
import { dying } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { expect, test } from 'vitest';
import { createCardMetrics } from '../src/metrics.ts';
import { onPaymentDue } from '../src/payment/advance.ts';
import { placePayment } from '../src/payment/place.ts';
import { openPlanGauges } from '../src/plan/gauges.ts';
import { createPlan } from '../src/plan/rpc/create-plan.ts';
import { CVV, card, NUMBER, newId, newOrder, useParts } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';

const parts = useParts();
const DAY_MS = 86_400_000;

async function setUp() {
  const acquirer = newAcquirer();
  const clock = createClock();
  const registry = new Registry();
  const context = await parts.newContext(acquirer, newLedger(), dying(undefined), { clock });
  context.metrics = createCardMetrics(registry, { acquirer: 'bank', ...(await openPlanGauges(parts.store(), clock)) });
  /** The series of a metric that are not 0. */
  const series = async (name: string) => {
    const lines = (await registry.getSingleMetricAsString(name)).split('\n');
    return lines.filter((line) => line.startsWith(name) && !line.endsWith(' 0')).map((line) => line.slice(name.length));
  };
  const advance = (ms: number) => clock.setOffset(clock.offsetMs() + ms);
  return { acquirer, clock, context, series, advance };
}

const newPlan = (over: { totalCycles?: number } = {}) => {
  const { merchantId, accountId, customer } = newOrder();
  const plan = { merchantId, accountId, customer, name: 'Gym', amountSen: 1_000_00n, interval: PlanInterval.DAY };
  const number = { number: NUMBER, expiry: '12/39', cvv: CVV, holderName: 'BUDI' };
  return create(CreatePlanRequestSchema, { ...plan, intervalCount: 1, card: number, ...over });
};

test('authorisations are counted once each, by acquirer, brand, outcome and reason', async () => {
  const { acquirer, context, series, advance } = await setUp();
  const charge = async (id = newId()) => placePayment(context, id, newOrder(), card());
  await charge();
  acquirer.behaviour.authorise = 'refuses';
  await charge();
  acquirer.behaviour.authorise = 'lost';
  acquirer.state.isSilent = true;
  const { order } = await charge();
  for (let asks = 0; asks < 3; asks++) {
    advance(60_000);
    await onPaymentDue(context, await parts.find(order.id));
  }
  acquirer.state.isSilent = false;
  advance(60_000);
  await onPaymentDue(context, await parts.find(order.id));
  expect(await series('gerbang_card_authorisations_total')).toEqual([
    '{acquirer="bank",brand="VISA",outcome="approved",code=""} 2',
    '{acquirer="bank",brand="VISA",outcome="declined",code="05"} 1',
    '{acquirer="bank",brand="VISA",outcome="unknown",code="NO_ANSWER"} 1',
  ]);
});

test('3-D Secure is counted from the challenge to what has come of it', async () => {
  const { acquirer, context, clock, series } = await setUp();
  acquirer.state.first = 'challenge';
  const [authenticated, expired] = [newId(), newId()];
  await placePayment(context, authenticated, newOrder(), card());
  await placePayment(context, expired, newOrder(), card());
  Object.assign(acquirer.held.get(authenticated) ?? {}, { status: 'authorised' });
  await parts.fireTimers([context], clock, authenticated, clock.now() + 10_000);
  await parts.fireTimers([context], clock, expired, clock.now() + DAY_MS);
  expect(await series('gerbang_card_3ds_total')).toEqual([
    '{brand="VISA",outcome="challenged"} 2',
    '{brand="VISA",outcome="authenticated"} 1',
    '{brand="VISA",outcome="expired"} 1',
  ]);
});

test('plans are counted by status, charges by what has come of them, and the longest wait is shown', async () => {
  const { acquirer, clock, context, series, advance } = await setUp();
  // As the plans' timer makes it.
  const due = { name: 'due', partialFilterExpression: { due_at: { $type: 'date' } } };
  await parts.store().collection('card_plans').createIndex({ due_at: 1 }, due);
  const { plan } = await createPlan(context, newPlan());
  const id = plan?.planId ?? expect.fail('no plan');
  expect(await series('gerbang_card_plans')).toEqual(['{status="active"} 1']);
  expect(await series('gerbang_card_plan_lag_seconds')).toEqual([]);
  advance(DAY_MS + 60_000);
  const [lag = ''] = await series('gerbang_card_plan_lag_seconds');
  expect(Math.floor(Number(lag) / 10)).toBe(6);
  acquirer.behaviour.authorise = 'refuses';
  await parts.firePlanTimers([context], clock, id, clock.now() + 60_000);
  const charges = ['{status="success"} 1', '{status="failed"} 1', '{status="retrying"} 3'];
  expect(await series('gerbang_card_cycles_total')).toEqual(charges);
  const later = await setUp();
  expect(await later.series('gerbang_card_plans')).toEqual(['{status="past_due"} 1']);
});
