import { create } from '@bufbuild/protobuf';
import { createClock, newUlid, RefusalError } from '@gerbang/core';
import {
  CreatePlanRequestSchema,
  MovePlanRequestSchema,
  PlanInterval,
  PlanMove,
  ReplaceCardRequestSchema,
} from '@gerbang/proto/gerbang/cards/v1/plans';
import { Crash, type Death, dying } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { describe, expect, test } from 'vitest';
import type { Context } from '../src/context.ts';
import { createPlan } from '../src/plan/rpc/create-plan.ts';
import { movePlan } from '../src/plan/rpc/move-plan.ts';
import { replaceCard } from '../src/plan/rpc/replace-card.ts';
import { CHECK_EVERY_MS, onTokensDue } from '../src/vault/sweep.ts';
import { FIRST_CHECK_MS, type StoredToken, TOKENS } from '../src/vault/vault.ts';
import { CVV, card, NUMBER, useParts } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';

const parts = useParts();
/** How many steps a new plan and another card have at the most, so that the tables have a row for each. */
const STEPS_MAX = 18;
/** Before each step; what is after the last one is before none. */
const deaths: Death[] = Array.from({ length: STEPS_MAX + 1 }, (_, i) => ({ step: i + 1, when: 'before' }));
const OTHERS = ['5555555555554444', '4000056655665556'];

const cardOf = (number: string) => ({ number, expiry: '12/39', cvv: CVV, holderName: 'BUDI SANTOSO' });

async function setUp() {
  const [merchantId, accountId] = [newUlid(Date.now()), newUlid(Date.now())];
  const acquirer = newAcquirer();
  const clock = createClock();
  const open = (by = dying(undefined)) => parts.newContext(acquirer, newLedger(), by, { clock });
  const context = await open();
  const tokens = () => parts.store().collection<StoredToken>(TOKENS).find({ merchant_id: merchantId }).toArray();
  const order = (by: Context, number = NUMBER) => {
    const calendar = { name: 'Gym', amountSen: 99_000_00n, interval: PlanInterval.MONTH, intervalCount: 1 };
    const customer = { name: 'Budi', email: 'budi@example.com', phone: '081234567890' };
    const request = { merchantId, accountId, ...calendar, customer, card: cardOf(number) };
    return createPlan(by, create(CreatePlanRequestSchema, request));
  };
  const replace = (by: Context, planId: string, number: string) =>
    replaceCard(by, create(ReplaceCardRequestSchema, { merchantId, accountId, planId, card: cardOf(number) }));
  return {
    merchantId,
    accountId,
    context,
    clock,
    open,
    order,
    replace,
    tokens,
    sweep: async () => onTokensDue(context, await tokens()),
  };
}

type World = Awaited<ReturnType<typeof setUp>>;

async function planIdOf(answer: ReturnType<World['order']>): Promise<string> {
  return (await answer).plan?.planId ?? expect.fail('no plan');
}

/** The kept cards are those that the merchant's plans need, each once. */
async function expectKept({ accountId, tokens }: World): Promise<void> {
  const plans = await parts.store().collection('card_plans').find({ account_id: accountId }).toArray();
  const used = plans.filter(({ status }) => status !== 'cancelled').map(({ _id, card: { token } }) => [token, [String(_id)]]);
  expect((await tokens()).map(({ _id, users }) => [_id, users])).toEqual(used);
}

/** Runs the sweep before one step of what another process does. */
function meanwhile({ step }: Death, sweep: () => Promise<void>): ReturnType<typeof dying> {
  let steps = 0;
  return {
    steps: () => steps,
    guard:
      (call) =>
      async (...given) => {
        if (++steps === step) await sweep();
        return call(...given);
      },
  };
}

async function until(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Crash) && !(error instanceof RefusalError)) throw error;
  });
}

test('a card whose plan was never created is looked at after an hour, and deleted', async () => {
  const world = await setUp();
  const { context, clock, merchantId, tokens } = world;
  await context.vault.keep(merchantId, card(), newUlid(Date.now()));
  const [kept] = await tokens();
  expect((kept?.due_at?.getTime() ?? 0) - clock.now()).toBeGreaterThan(FIRST_CHECK_MS - 60_000);
  await world.sweep();
  expect(await tokens()).toEqual([]);
  const claims = parts.store().collection<{ _id: string }>('card_claims');
  expect(await claims.findOne({ _id: kept?.fingerprint ?? '' })).toBeNull();
});

test('a card that a plan uses stays, and is looked at again a day later', async () => {
  const world = await setUp();
  await planIdOf(world.order(world.context));
  await world.sweep();
  await expectKept(world);
  const [kept] = await world.tokens();
  expect((kept?.due_at?.getTime() ?? 0) - world.clock.now()).toBeGreaterThan(CHECK_EVERY_MS - 60_000);
});

test('a card whose plan has ended is deleted, also where the plan has not done it; the other plan of the card keeps it', async () => {
  const world = await setUp();
  const { context, merchantId, accountId } = world;
  const [one, other] = [await planIdOf(world.order(context)), await planIdOf(world.order(context))];
  const end = (planId: string) =>
    movePlan(context, create(MovePlanRequestSchema, { merchantId, accountId, planId, move: PlanMove.CANCEL }));
  await end(one);
  await world.sweep();
  expect((await world.tokens()).map(({ users }) => users)).toEqual([[other]]);
  await end(other);
  await world.sweep();
  expect(await world.tokens()).toEqual([]);
});

test('two other cards at the same time: the plan has one of them, and that one is kept', async () => {
  for (let round = 0; round < 5; round++) {
    const world = await setUp();
    const planId = await planIdOf(world.order(world.context));
    await Promise.all(OTHERS.map((number) => world.replace(world.context, planId, number)));
    await expectKept(world);
  }
});

describe('a process that dies', () => {
  test.each(deaths)('before step $step of a new plan leaves no card that nothing uses', async (death) => {
    const world = await setUp();
    await until(world.order(await world.open(dying(death))));
    await world.sweep();
    await expectKept(world);
  });

  test.each(deaths)('before step $step of a card update leaves the card of the plan, and no other', async (death) => {
    const world = await setUp();
    const planId = await planIdOf(world.order(world.context));
    await until(world.replace(await world.open(dying(death)), planId, OTHERS[0] ?? ''));
    expect(
      (await world.tokens()).every(({ due_at }) => (due_at?.getTime() ?? Infinity) <= world.clock.now() + FIRST_CHECK_MS),
    ).toBe(true);
    await world.sweep();
    await expectKept(world);
  });
});

describe('a sweep', () => {
  test.each(deaths)('before step $step of a new plan takes no card from it', async (death) => {
    const world = await setUp();
    await planIdOf(world.order(await world.open(meanwhile(death, world.sweep))));
    await expectKept(world);
  });

  test.each(deaths)('before step $step of a card update takes no card from it', async (death) => {
    const world = await setUp();
    const planId = await planIdOf(world.order(world.context));
    await world.replace(await world.open(meanwhile(death, world.sweep)), planId, OTHERS[0] ?? '');
    await expectKept(world);
  });
});

test('the tables have a row for every step', async () => {
  const world = await setUp();
  const counted = dying(undefined);
  const context = await world.open(counted);
  const planId = await planIdOf(world.order(context));
  const ofPlan = counted.steps();
  await world.replace(context, planId, OTHERS[0] ?? '');
  expect([ofPlan, counted.steps() - ofPlan].every((steps) => steps >= 5 && steps <= STEPS_MAX)).toBe(true);
});
