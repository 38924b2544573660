import { create } from '@bufbuild/protobuf';
import { createClock } from '@gerbang/core';
import { CreatePlanRequestSchema, MovePlanRequestSchema, PlanInterval, PlanMove } from '@gerbang/proto/gerbang/cards/v1/plans';
import { dying } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { expect, test, vi } from 'vitest';
import type { Context } from '../src/context.ts';
import { changePayment } from '../src/payment/change.ts';
import type { StoredPayment } from '../src/payment/document.ts';
import { createPlan } from '../src/plan/rpc/create-plan.ts';
import { movePlan } from '../src/plan/rpc/move-plan.ts';
import { ACCOUNT, CVV, MERCHANT, NUMBER, useParts } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';

const parts = useParts();
const HOUR_MS = 3_600_000;

/** A plan that was cancelled while its customer was authenticated, who then was; no process has looked at the plan since. */
async function setUp(options: { terms?: string; captureAfterMs?: number } = {}) {
  const acquirer = newAcquirer();
  acquirer.state.first = 'challenge';
  const clock = createClock();
  const { terms, captureAfterMs = 30_000 } = options;
  const opened = await parts.newContext(acquirer, newLedger(), dying(), { clock, ...(terms !== undefined && { terms }) });
  const context: Context = { ...opened, captureAfterMs, onChargeFinished: () => {} };
  const planId = await order(context);
  await movePlan(context, create(MovePlanRequestSchema, { ...own(planId), move: PlanMove.CANCEL }));
  const { attempt } = (await cycleOf(planId)).state;
  const held = acquirer.held.get(attempt.paymentId) ?? expect.fail('the acquirer has no payment');
  held.status = 'authorised';
  const error = vi.spyOn(context.log, 'error');
  const alerts = () => error.mock.calls.filter(([fields]) => Object.values(fields ?? {}).includes('plan-charge-not-given-back'));
  return {
    context,
    held,
    alerts,
    planId,
    /** Only the payment's own timer fires. */
    payFor: (ms: number) => parts.fireTimers([context], clock, attempt.paymentId, clock.now() + ms),
    goOnFor: (ms: number) => parts.firePlanTimers([context], clock, planId, clock.now() + ms),
    pass: (ms: number) => clock.setOffset(clock.offsetMs() + ms),
  };
}

const own = (planId: string) => ({ merchantId: MERCHANT, accountId: ACCOUNT, planId });
const cycleOf = async (planId: string) => (await parts.cycles().find(planId, 1)) ?? expect.fail('no cycle');

async function order(context: Context): Promise<string> {
  const request = create(CreatePlanRequestSchema, {
    merchantId: MERCHANT,
    accountId: ACCOUNT,
    name: 'Gym',
    amountSen: 99_000_00n,
    interval: PlanInterval.MONTH,
    intervalCount: 1,
    card: { number: NUMBER, expiry: '12/39', cvv: CVV, holderName: 'BUDI SANTOSO' },
    customer: {},
  });
  const { plan } = await createPlan(context, request);
  await context.background.settled();
  return plan?.planId ?? expect.fail('no plan');
}

const dispute = async (context: Context, payment: StoredPayment) => {
  await changePayment(context, payment, { type: 'dispute', id: 'chargeback-1', amountSen: 99_000_00n });
};

test.each([
  ['is captured, by an acquirer without refunds', { terms: JSON.stringify({ void_hours: 24, refunds: false }) }, undefined],
  ['a chargeback claims', {}, dispute],
] as const)(
  'the first charge of a cancelled plan that %s is taken as paid, and is alerted once',
  async (_what, options, meanwhile) => {
    const { context, planId, alerts, held, payFor, goOnFor } = await setUp(options);
    const captured = await payFor(60_000);
    expect(held.status).toBe('captured');
    await meanwhile?.(context, captured);
    const plan = await goOnFor(HOUR_MS);
    expect(plan.state).toMatchObject({ status: 'cancelled', open: undefined, paidCycles: 1 });
    expect(plan.document.due_at).toBe(undefined);
    expect((await cycleOf(planId)).state.status).toBe('success');
    expect(alerts()).toHaveLength(1);
  },
);

test('one that is not voided any more is refunded once it is captured', async () => {
  const { planId, alerts, held, payFor, goOnFor, pass } = await setUp({ captureAfterMs: 30 * HOUR_MS });
  expect((await payFor(60_000)).state.status).toBe('authorised');
  pass(25 * HOUR_MS);
  await goOnFor(60_000);
  expect((await cycleOf(planId)).state.status).toBe('processing');
  pass(5 * HOUR_MS);
  const plan = await goOnFor(HOUR_MS);
  expect([plan.state.status, plan.state.paidCycles, held.status]).toEqual(['cancelled', 0, 'refunded']);
  expect((await cycleOf(planId)).state).toMatchObject({ status: 'failed', failure: { code: 'PLAN_ENDED' } });
  expect(alerts()).toEqual([]);
});
