import { create } from '@bufbuild/protobuf';
import { createClock } from '@gerbang/core';
import { CreatePlanRequestSchema, PlanInterval } from '@gerbang/proto/gerbang/cards/v1/plans';
import { type Death, deathsOf, dying, untilDeathOrRefusal } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { expect, test } from 'vitest';
import { onPlanDue } from '../src/plan/advance.ts';
import { createPlan } from '../src/plan/rpc/create-plan.ts';
import { ACCOUNT, CVV, MERCHANT, NUMBER, useParts } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';

const parts = useParts();
const DAY_MS = 86_400_000;
/** How many steps the charge of a cycle has at the most, so that the table has a row for each. */
const STEPS_MAX = 20;
const deaths = deathsOf(STEPS_MAX);

const newPlan = () =>
  create(CreatePlanRequestSchema, {
    merchantId: MERCHANT,
    accountId: ACCOUNT,
    name: 'Gym',
    amountSen: 99_000_00n,
    interval: PlanInterval.MONTH,
    intervalCount: 1,
    totalCycles: 2,
    customer: { name: 'Budi', email: 'budi@example.com', phone: '081234567890' },
    card: { number: NUMBER, expiry: '12/39', cvv: CVV, holderName: 'BUDI SANTOSO' },
  });

/** The charge of a plan's second cycle by a process that dies, and then by two that do not. */
async function chargeSecondCycle(death: Death | undefined) {
  const acquirer = newAcquirer();
  const ledger = newLedger();
  const clock = createClock();
  const open = (by = dying()) => parts.newContext(acquirer, ledger, by, { clock });
  const replicas = [await open(), await open()] as const;
  const id = (await createPlan(replicas[0], newPlan())).plan?.planId ?? expect.fail('no plan');
  clock.setOffset(32 * DAY_MS);
  const counted = dying(death);
  const mortal = await open(counted);
  await untilDeathOrRefusal(onPlanDue(mortal, await parts.findPlan(id)));
  await mortal.background.settled();
  const plan = await parts.firePlanTimers(replicas, clock, id, clock.now() + DAY_MS);
  return { plan, acquirer, steps: counted.steps(), cycle: await parts.cycles().find(id, 2) };
}

test('the table has a row for each step', async () => {
  expect((await chargeSecondCycle(undefined)).steps).toBeLessThanOrEqual(STEPS_MAX);
});

test.each(deaths)('a process that dies $when step $step charges the cycle once', async (death) => {
  const { plan, acquirer, cycle } = await chargeSecondCycle(death);
  expect(plan.state).toMatchObject({ status: 'completed', paidCycles: 2 });
  expect(cycle?.state.status).toBe('success');
  expect([...acquirer.held.values()].filter(({ status }) => status === 'authorised' || status === 'captured')).toHaveLength(2);
});
