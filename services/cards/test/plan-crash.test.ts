import { create } from '@bufbuild/protobuf';
import { createClock } from '@gerbang/core';
import {
  CreatePlanRequestSchema,
  MovePlanRequestSchema,
  PlanInterval,
  PlanMove,
  ReplaceCardRequestSchema,
} from '@gerbang/proto/gerbang/cards/v1/plans';
import { deathsOf, dying, untilDeathOrRefusal } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { describe, expect, test } from 'vitest';
import type { Context } from '../src/context.ts';
import { onPlanDue } from '../src/plan/advance.ts';
import type { StoredPlan } from '../src/plan/document.ts';
import { createPlan } from '../src/plan/rpc/create-plan.ts';
import { movePlan } from '../src/plan/rpc/move-plan.ts';
import { replaceCard } from '../src/plan/rpc/replace-card.ts';
import { ACCOUNT, CVV, MERCHANT, NUMBER, useParts } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';

const parts = useParts();
const DAY_MS = 86_400_000;
const OTHER_NUMBER = '5555555555554444';

/**
 * Right after each step, before its result is known. To die right before the next one would leave the same behind: what the process
 * knew is gone with it.
 */
const deathsAfter = (steps: number) => deathsOf(steps).filter(({ when }) => when === 'after');

type World = {
  acquirer: ReturnType<typeof newAcquirer>;
  /** Two that live. */
  replicas: readonly [Context, Context];
  clock: ReturnType<typeof createClock>;
  id: string;
};

/** Where a process may die: what was there before, and what it does; what a merchant does again; what has to come of it. */
type Road = {
  /** Distinct requests of one merchant: a retry has the same Idempotency-Key. */
  before?: (world: World) => Promise<void>;
  does: (context: Context, world: World) => Promise<unknown>;
  /** After the crash, by a process that lives; else only timers fire. */
  again?: (context: Context, world: World) => Promise<unknown>;
  forMs: number;
  /** How many steps it has, so that its table has a row for each. */
  steps: number;
  expected: { status: StoredPlan['state']['status']; paid: number; events: string[] };
};

let keys = 0;
function orderOf(key: string, over: { expiry?: string } = {}) {
  return create(CreatePlanRequestSchema, {
    merchantId: MERCHANT,
    accountId: ACCOUNT,
    name: 'Gym',
    amountSen: 99_000_00n,
    interval: PlanInterval.MONTH,
    intervalCount: 1,
    totalCycles: 2,
    customer: { name: 'Budi', email: 'budi@example.com', phone: '081234567890' },
    card: { number: NUMBER, expiry: over.expiry ?? '12/39', cvv: CVV, holderName: 'BUDI SANTOSO' },
    idempotencyKey: { key, route: 'POST /plans', bodyHash: 'h' },
  });
}
const ofPlan = ({ id: planId }: World) => ({ merchantId: MERCHANT, accountId: ACCOUNT, planId });
const move = (to: PlanMove) => (context: Context, world: World) =>
  movePlan(context, create(MovePlanRequestSchema, { ...ofPlan(world), move: to }));
const replace =
  (expiry = '11/39') =>
  (context: Context, world: World) => {
    const card = { number: OTHER_NUMBER, expiry, cvv: CVV, holderName: 'BUDI' };
    return replaceCard(context, create(ReplaceCardRequestSchema, { ...ofPlan(world), card }));
  };
const due = async (context: Context, { id }: World) => onPlanDue(context, await parts.findPlan(id));
const later = (ms: number) => async (world: World) => world.clock.setOffset(world.clock.offsetMs() + ms);
/** A month whose end is so many days away, at least. */
function expiryIn(days: number, { clock }: Pick<World, 'clock'>): string {
  const [year = '', month = ''] = new Date(clock.now() + days * DAY_MS).toISOString().slice(2, 7).split('-');
  return `${month}/${year}`;
}
const pastDue = async (world: World) => {
  world.acquirer.behaviour.authorise = 'refuses';
  await later(32 * DAY_MS)(world);
  await parts.firePlanTimers(world.replicas, world.clock, world.id, world.clock.now() + DAY_MS);
  delete world.acquirer.behaviour.authorise;
};

const ROADS: Record<string, Road> = {
  'the charge of a cycle': {
    before: later(32 * DAY_MS),
    does: due,
    steps: 13,
    forMs: DAY_MS,
    expected: { status: 'completed', paid: 2, events: ['activated', 'completed'] },
  },
  'a retry of a cycle': {
    before: async (world) => {
      world.acquirer.behaviour.authorise = 'refuses';
      await later(32 * DAY_MS)(world);
      await due(world.replicas[0], world);
      delete world.acquirer.behaviour.authorise;
      await later(3_000)(world);
    },
    does: due,
    steps: 13,
    forMs: DAY_MS,
    expected: { status: 'completed', paid: 2, events: ['activated', 'completed'] },
  },
  'a pause': {
    does: move(PlanMove.PAUSE),
    again: move(PlanMove.PAUSE),
    steps: 3,
    forMs: 40 * DAY_MS,
    expected: { status: 'paused', paid: 1, events: ['activated'] },
  },
  'a resume': {
    before: async (world) => {
      await move(PlanMove.PAUSE)(world.replicas[0], world);
    },
    does: move(PlanMove.RESUME),
    again: move(PlanMove.RESUME),
    steps: 3,
    forMs: 40 * DAY_MS,
    expected: { status: 'completed', paid: 2, events: ['activated', 'completed'] },
  },
  'a cancel': {
    does: move(PlanMove.CANCEL),
    again: move(PlanMove.CANCEL),
    steps: 3,
    forMs: 40 * DAY_MS,
    expected: { status: 'cancelled', paid: 1, events: ['activated', 'cancelled'] },
  },
  'another card of an active plan': {
    does: replace(),
    again: replace(),
    steps: 9,
    forMs: 40 * DAY_MS,
    expected: { status: 'completed', paid: 2, events: ['activated', 'completed'] },
  },
  'another card of a plan that is past due': {
    before: pastDue,
    does: replace(),
    again: replace(),
    steps: 22,
    forMs: DAY_MS,
    expected: { status: 'completed', paid: 2, events: ['activated', 'past_due', 'completed'] },
  },
  'the announcement that its card expires': {
    before: async (world) => {
      await replace(expiryIn(31, world))(world.replicas[0], world);
      await later(expiresMs(await parts.findPlan(world.id)) - 29 * DAY_MS - world.clock.now())(world);
    },
    does: due,
    steps: 1,
    forMs: 1,
    expected: { status: 'active', paid: 1, events: ['activated', 'card_expiring'] },
  },
};
const expiresMs = ({ state }: StoredPlan) => state.card.expiresAtMs;

async function newWorld(
  behaviour: Parameters<typeof newAcquirer>[0] = {},
): Promise<Omit<World, 'id'> & { open: (by?: ReturnType<typeof dying>) => Promise<Context> }> {
  const acquirer = newAcquirer(behaviour);
  const ledger = newLedger();
  const clock = createClock();
  const open = (by = dying()) => parts.newContext(acquirer, ledger, by, { clock });
  return { acquirer, clock, replicas: [await open(), await open()], open };
}

/** A plan that is active, then a road that a process dies on. */
async function walk({ before, does, again, forMs }: Road, death?: Parameters<typeof dying>[0]) {
  const { open, ...parted } = await newWorld();
  const request = orderOf(`walk-${keys++}`);
  const world: World = { ...parted, id: (await createPlan(parted.replicas[0], request)).plan?.planId ?? expect.fail('no plan') };
  await before?.(world);
  const counted = dying(death);
  const mortal = await open(counted);
  await untilDeathOrRefusal(does(mortal, world));
  await mortal.background.settled();
  if (again !== undefined) await untilDeathOrRefusal(again(world.replicas[0], world));
  const plan = await parts.firePlanTimers(world.replicas, world.clock, world.id, world.clock.now() + forMs);
  return { ...world, plan, steps: counted.steps() };
}

const eventsOf = ({ document }: StoredPlan) => document.tail.map(({ event }) => event.replace('subscription.', ''));
const taken = ({ acquirer }: Pick<World, 'acquirer'>) =>
  [...acquirer.held.values()].filter(({ status }) => status === 'authorised' || status === 'captured').length;
const cardsOf = (id: string) => parts.store().collection('card_tokens').find({ merchant_id: MERCHANT, users: id }).toArray();

describe.each(Object.entries(ROADS))('%s', (_what, road) => {
  test.each(deathsAfter(road.steps))('whose process dies $when step $step is made once', async (death) => {
    const world = await walk(road, death);
    const { id } = world;
    const { status, paid, events } = road.expected;
    const plan = world.plan.state.open?.hasFailed ? await comeAgain(world) : world.plan;
    expect([plan.state.status, plan.state.paidCycles, taken(world), eventsOf(plan)]).toEqual([status, paid, paid, events]);
    expect(plan.state.open).toBe(undefined);
    expect((await cardsOf(id)).length).toBe(plan.state.ended === undefined ? 1 : 0);
  });
});

/**
 * Between the mark that a charge goes to the acquirer and the call: it is never sent later, since afterwards that can't be told from a
 * call without an answer. The customer enters a card once more.
 */
async function comeAgain(world: World): Promise<StoredPlan> {
  expect((await parts.cycles().find(world.id, 2))?.state).toMatchObject({ status: 'failed', failure: { code: 'NOT_RECEIVED' } });
  await replace()(world.replicas[0], world);
  return parts.firePlanTimers(world.replicas, world.clock, world.id, world.clock.now() + DAY_MS);
}

test('the tables have a row for each step', async () => {
  const steps: Record<string, number> = {};
  for (const [what, road] of Object.entries(ROADS)) steps[what] = (await walk(road)).steps;
  expect(steps).toEqual(Object.fromEntries(Object.entries(ROADS).map(([what, road]) => [what, road.steps])));
});

const CREATE_STEPS = 14;
const GIVE_UP_STEPS = 6;

describe.each(['without 3DS', 'with 3DS'])('a new plan %s', (kind) => {
  test.each(deathsAfter(CREATE_STEPS))('whose process dies $when step $step is made once', async (death) => {
    const { open, ...world } = await newWorld();
    if (kind !== 'without 3DS') world.acquirer.state.first = 'challenge';
    const request = orderOf(`new-${keys++}`);
    const mortal = await open(dying(death));
    await untilDeathOrRefusal(createPlan(mortal, request));
    await mortal.background.settled();
    // The merchant comes again with the same Idempotency-Key, and the same card.
    const { plan: placed } = await createPlan(world.replicas[0], request);
    const id = placed?.planId ?? expect.fail('no plan');
    const cycle = await parts.cycles().find(id, 1);
    const held = world.acquirer.held.get(cycle?.state.attempt.paymentId ?? '');
    if (kind === 'with 3DS' && held !== undefined) held.status = 'authorised';
    const plan = await parts.firePlanTimers(world.replicas, world.clock, id, world.clock.now() + 25 * 3_600_000);

    const isPaid = held !== undefined;
    expect(world.acquirer.held.size).toBeLessThanOrEqual(1);
    expect([plan.state.status, plan.state.paidCycles, taken(world)]).toEqual(isPaid ? ['active', 1, 1] : ['cancelled', 0, 0]);
    expect(eventsOf(plan)).toEqual([isPaid ? 'activated' : 'cancelled']);
    expect((await cardsOf(id)).length).toBe(isPaid ? 1 : 0);
  });
});

describe('a plan whose 3DS is never finished', () => {
  test.each(deathsAfter(GIVE_UP_STEPS))(
    'and whose process dies $when step $step of its cancellation is cancelled once',
    async (death) => {
      const { open, ...world } = await newWorld();
      world.acquirer.state.first = 'challenge';
      const id = (await createPlan(world.replicas[0], orderOf(`late-${keys++}`))).plan?.planId ?? '';
      await parts.firePlanTimers(world.replicas, world.clock, id, world.clock.now() + 23 * 3_600_000);
      expect((await parts.findPlan(id)).state.status).toBe('pending');
      await later(25 * 3_600_000)({ ...world, id });
      const counted = dying(death);
      await untilDeathOrRefusal(due(await open(counted), { ...world, id }));
      expect(counted.steps()).toBeLessThanOrEqual(GIVE_UP_STEPS);
      const plan = await parts.firePlanTimers(world.replicas, world.clock, id, world.clock.now() + DAY_MS);
      expect([plan.state.status, plan.state.ended?.reason, eventsOf(plan)]).toEqual([
        'cancelled',
        'not_authenticated',
        ['cancelled'],
      ]);
      expect(await cardsOf(id)).toEqual([]);
    },
  );
});

test('a card that takes the place of one that was announced is announced, too', async () => {
  const { open: _, ...world } = await newWorld();
  const request = orderOf(`expiry-${keys++}`, { expiry: expiryIn(40, world) });
  const of = { ...world, id: (await createPlan(world.replicas[0], request)).plan?.planId ?? '' };
  const notices = async () => {
    await later(expiresMs(await parts.findPlan(of.id)) - 29 * DAY_MS - of.clock.now())(of);
    for (const replica of [...of.replicas, ...of.replicas]) await due(replica, of);
    return eventsOf(await parts.findPlan(of.id)).filter((event) => event === 'card_expiring').length;
  };
  await move(PlanMove.PAUSE)(world.replicas[0], of);
  expect(await notices()).toBe(1);
  await replace(expiryIn(100, world))(world.replicas[0], of);
  expect(await notices()).toBe(2);
});
