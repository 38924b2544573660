import { create } from '@bufbuild/protobuf';
import { createClock, RefusalError, refuse } from '@gerbang/core';
import {
  CreatePlanRequestSchema,
  MovePlanRequestSchema,
  PlanInterval,
  PlanMove,
  ReplaceCardRequestSchema,
} from '@gerbang/proto/gerbang/cards/v1/plans';
import { dying } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { describe, expect, test } from 'vitest';
import type { Context } from '../src/context.ts';
import { onPlanDue } from '../src/plan/advance.ts';
import { createPlan } from '../src/plan/rpc/create-plan.ts';
import { movePlan } from '../src/plan/rpc/move-plan.ts';
import { replaceCard } from '../src/plan/rpc/replace-card.ts';
import { ACCOUNT, CVV, eventsOf, MERCHANT, NUMBER, useParts } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';

const parts = useParts();
const DAY_MS = 86_400_000;
const OTHER_NUMBER = '5555555555554444';

/** Longer than a payment may take to be submitted, and than a timer's lease. */
const STANDSTILL_MS = 45_000;

const cardOf = (number: string) => ({ number, expiry: '12/39', cvv: CVV, holderName: 'BUDI SANTOSO' });

/** Two replicas of one clock: one stands still, the other goes on. */
async function setUp() {
  const acquirer = newAcquirer();
  const clock = createClock();
  const open = () => parts.newContext(acquirer, newLedger(), dying(), { clock });
  const [stopped, other] = [await open(), await open()];
  return { acquirer, clock, stopped, other, pass: (ms: number) => clock.setOffset(clock.offsetMs() + ms) };
}

async function order(context: Context, number = NUMBER): Promise<string> {
  const request = create(CreatePlanRequestSchema, {
    merchantId: MERCHANT,
    accountId: ACCOUNT,
    name: 'Gym',
    amountSen: 99_000_00n,
    interval: PlanInterval.MONTH,
    intervalCount: 1,
    card: cardOf(number),
    customer: {},
  });
  const { plan } = await createPlan(context, request);
  await context.background.settled();
  return plan?.planId ?? expect.fail('no plan');
}

async function replaceCardOf(context: Context, planId: string): Promise<void> {
  const own = { merchantId: MERCHANT, accountId: ACCOUNT, planId };
  await replaceCard(context, create(ReplaceCardRequestSchema, { ...own, card: cardOf(OTHER_NUMBER) }));
  await context.background.settled();
}

/** Right before the next payment is written down, or marked as sent, what happens meanwhile happens. */
function standStill({ payments }: Context, at: 'insertOrFind' | 'apply', meanwhile: () => Promise<void>): void {
  const { insertOrFind, apply } = payments;
  if (at === 'insertOrFind')
    payments.insertOrFind = async (...args) => {
      payments.insertOrFind = insertOrFind;
      await meanwhile();
      return insertOrFind(...args);
    };
  else
    payments.apply = async (...args) => {
      payments.apply = apply;
      await meanwhile();
      return apply(...args);
    };
}

const cycleOf = async (planId: string, number: number) => (await parts.cycles().find(planId, number)) ?? expect.fail('no cycle');

describe('a process that stands still before it writes down a payment sends nothing once the charge was declined', () => {
  test('of a first charge, which another card then pays once', async () => {
    const { acquirer, stopped, other, pass } = await setUp();
    let planId = '';
    let declined = '';
    standStill(stopped, 'insertOrFind', async () => {
      const [plan] = await parts.store().collection('card_plans').find({}).sort({ created_at: -1 }).limit(1).toArray();
      planId = String(plan?._id);
      pass(STANDSTILL_MS);
      await onPlanDue(other, await parts.findPlan(planId));
      const { state } = await cycleOf(planId, 1);
      expect(state).toMatchObject({ status: 'failed', failure: { code: 'NOT_SENT' } });
      declined = state.attempt.paymentId;
    });
    await order(stopped);
    expect(acquirer.requests).toEqual([]);
    const payment = await parts.find(declined);
    expect([payment.state, eventsOf(payment)]).toMatchObject([{ status: 'failed', code: 'NOT_SENT' }, []]);
    await replaceCardOf(other, planId);
    expect(acquirer.requests).toHaveLength(1);
    expect(await cycleOf(planId, 1)).toMatchObject({ state: { status: 'success' } });
  });

  test.each(['insertOrFind', 'apply'] as const)(
    'of a renewal, at %s, that another replica finds frozen and tries again',
    async (at) => {
      const { acquirer, clock, stopped, other, pass } = await setUp();
      const planId = await order(stopped);
      pass(32 * DAY_MS);
      const { admit } = other.merchants;
      standStill(stopped, at, async () => {
        pass(STANDSTILL_MS);
        other.merchants.admit = () => Promise.reject(new RefusalError(refuse('frozen')));
        await onPlanDue(other, await parts.findPlan(planId));
        other.merchants.admit = admit;
        expect(await cycleOf(planId, 2)).toMatchObject({ state: { status: 'retrying', failure: { code: 'FROZEN' } } });
      });
      await onPlanDue(stopped, await parts.findPlan(planId));
      await stopped.background.settled();
      await parts.firePlanTimers([other], clock, planId, clock.now() + DAY_MS);
      expect(await cycleOf(planId, 2)).toMatchObject({ state: { status: 'success', attempts: 2 } });
      expect(acquirer.requests).toHaveLength(1 + 1);
    },
  );

  test('of a renewal whose plan is cancelled meanwhile', async () => {
    const { acquirer, stopped, other, pass } = await setUp();
    const planId = await order(stopped);
    pass(32 * DAY_MS);
    standStill(stopped, 'insertOrFind', async () => {
      pass(STANDSTILL_MS);
      const own = { merchantId: MERCHANT, accountId: ACCOUNT, planId };
      await movePlan(other, create(MovePlanRequestSchema, { ...own, move: PlanMove.CANCEL }));
      await onPlanDue(other, await parts.findPlan(planId));
      expect(await cycleOf(planId, 2)).toMatchObject({ state: { status: 'failed', failure: { code: 'PLAN_ENDED' } } });
    });
    await onPlanDue(stopped, await parts.findPlan(planId));
    await stopped.background.settled();
    expect(acquirer.requests).toHaveLength(1);
  });
});

test('a renewal that another replica has sent is followed, not declined, where the account is frozen by then', async () => {
  const { acquirer, clock, stopped, other, pass } = await setUp();
  const planId = await order(stopped);
  pass(32 * DAY_MS);
  const { admit } = other.merchants;
  acquirer.behaviour.authorise = 'lost';
  other.merchants.admit = async () => {
    await onPlanDue(stopped, await parts.findPlan(planId));
    throw new RefusalError(refuse('frozen'));
  };
  await onPlanDue(other, await parts.findPlan(planId));
  other.merchants.admit = admit;
  await parts.firePlanTimers([other], clock, planId, clock.now() + DAY_MS);
  expect(await cycleOf(planId, 2)).toMatchObject({ state: { status: 'success', attempts: 1 } });
  expect(acquirer.requests).toHaveLength(1 + 1);
});
