import { create } from '@bufbuild/protobuf';
import { createClock, RefusalError } from '@gerbang/core';
import { presentPlan } from '@gerbang/present';
import {
  CreatePlanRequestSchema,
  CycleStatus,
  GetPlanRequestSchema,
  ListCyclesRequestSchema,
  MovePlanRequestSchema,
  PlanInterval,
  PlanMove,
  PlanStatus,
  ReplaceCardRequestSchema,
} from '@gerbang/proto/gerbang/cards/v1/plans';
import { dying } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { describe, expect, test } from 'vitest';
import type { Context } from '../src/context.ts';
import { createPlan } from '../src/plan/rpc/create-plan.ts';
import { getPlan } from '../src/plan/rpc/get-plan.ts';
import { listCycles } from '../src/plan/rpc/list-cycles.ts';
import { movePlan } from '../src/plan/rpc/move-plan.ts';
import { replaceCard } from '../src/plan/rpc/replace-card.ts';
import { ACCOUNT, CVV, MERCHANT, NUMBER, useParts } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';

const parts = useParts();
const DAY_MS = 86_400_000;
const OTHER_NUMBER = '5555555555554444';

async function setUp(behaviour: Parameters<typeof newAcquirer>[0] = {}) {
  const acquirer = newAcquirer(behaviour);
  const clock = createClock();
  const open = () => parts.newContext(acquirer, newLedger(), dying(), { clock });
  const replicas = [await open(), await open()] as const;
  const [context] = replicas;
  return { acquirer, clock, replicas, context, goTo: (id: string, ms: number) => goTo(ms, id) };
  async function goTo(ms: number, id: string) {
    const untilMs = clock.now() + ms;
    const plan = await parts.firePlanTimers(replicas, clock, id, untilMs);
    if (clock.now() < untilMs) clock.setOffset(clock.offsetMs() + untilMs - clock.now());
    return plan;
  }
}

const cardOf = (number = NUMBER, expiry = '12/39') => ({ number, expiry, cvv: CVV, holderName: 'BUDI SANTOSO' });

function order(context: Context, over: { totalCycles?: number; number?: string; expiry?: string; startAtMs?: bigint } = {}) {
  const { number, expiry, ...rest } = over;
  const request = {
    merchantId: MERCHANT,
    accountId: ACCOUNT,
    name: 'Gym',
    amountSen: 99_000_00n,
    interval: PlanInterval.MONTH,
    intervalCount: 1,
    customer: { name: 'Budi', email: 'budi@example.com', phone: '081234567890' },
    card: cardOf(number, expiry),
    ...rest,
  };
  return createPlan(context, create(CreatePlanRequestSchema, request));
}

const own = (planId: string) => ({ merchantId: MERCHANT, accountId: ACCOUNT, planId });
const show = async (context: Context, id: string) => (await getPlan(context, create(GetPlanRequestSchema, own(id)))).plan;
const move = (context: Context, id: string, to: PlanMove) =>
  movePlan(context, create(MovePlanRequestSchema, { ...own(id), move: to }));
const cyclesOf = async (context: Context, id: string) =>
  (await listCycles(context, create(ListCyclesRequestSchema, { ...own(id), limit: 100 }))).cycles;
const eventsOf = async (id: string) =>
  (await parts.findPlan(id)).document.tail.map(({ event }) => event.replace('subscription.', ''));

async function idOf(answer: ReturnType<typeof order>): Promise<string> {
  return (await answer).plan?.planId ?? expect.fail('no plan');
}

test('the first charge has the security code; later ones are initiated by the merchant, without it, and refer to the first', async () => {
  const { context, acquirer, goTo } = await setUp();
  const id = await idOf(order(context));
  expect(await show(context, id)).toMatchObject({ status: PlanStatus.ACTIVE, paidCycles: 1 });
  await goTo(id, 32 * DAY_MS);
  expect(acquirer.cards.map((card) => card.reveal().cvv)).toEqual([CVV, undefined]);
  expect(acquirer.cards.map((card) => card.reveal().number)).toEqual([NUMBER, NUMBER]);
  expect(acquirer.requests.map(({ initiated, networkTransactionId }) => [initiated, networkTransactionId])).toEqual([
    [undefined, undefined],
    ['merchant', 'ntid-1'],
  ]);
  expect((await cyclesOf(context, id)).map(({ cycle, status }) => [cycle, status])).toEqual([
    [3, CycleStatus.SCHEDULED],
    [2, CycleStatus.SUCCESS],
    [1, CycleStatus.SUCCESS],
  ]);
  expect(await eventsOf(id)).toEqual(['activated']);
});

test('a clock that jumps a year charges each cycle once, in order, also with two replicas', async () => {
  const { context, acquirer, goTo } = await setUp();
  const id = await idOf(order(context, { totalCycles: 12 }));
  await goTo(id, 366 * DAY_MS);
  expect(await show(context, id)).toMatchObject({ status: PlanStatus.COMPLETED, paidCycles: 12 });
  const cycles = await cyclesOf(context, id);
  expect(cycles.map(({ cycle }) => cycle)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(new Set(cycles.map(({ cardTransactionId }) => cardTransactionId)).size).toBe(12);
  expect(acquirer.requests).toHaveLength(12);
  expect(await eventsOf(id)).toEqual(['activated', 'completed']);
});

test('cycles that fall due in a pause are skipped', async () => {
  const { context, goTo, acquirer } = await setUp();
  const id = await idOf(order(context));
  await move(context, id, PlanMove.PAUSE);
  await goTo(id, 70 * DAY_MS);
  expect(acquirer.requests).toHaveLength(1);
  await move(context, id, PlanMove.RESUME);
  await goTo(id, 31 * DAY_MS);
  expect((await cyclesOf(context, id)).map(({ cycle }) => cycle)).toEqual([5, 4, 1]);
});

describe('a charge that fails', () => {
  test('is tried three times more, then the plan is past due, until another card charges the open cycle', async () => {
    const { context, acquirer, goTo } = await setUp();
    const id = await idOf(order(context));
    acquirer.behaviour.authorise = 'refuses';
    await goTo(id, 32 * DAY_MS);
    expect(await show(context, id)).toMatchObject({ status: PlanStatus.PAST_DUE });
    expect(acquirer.requests).toHaveLength(1 + 4);
    expect((await cyclesOf(context, id))[0]).toMatchObject({ cycle: 2, status: CycleStatus.FAILED, attempts: 4 });
    expect((await parts.cycles().find(id, 2))?.document.tail.map(({ event }) => event)).toEqual(
      Array.from({ length: 4 }, () => 'subscription.charge.failed'),
    );
    delete acquirer.behaviour.authorise;
    const request = create(ReplaceCardRequestSchema, { ...own(id), card: cardOf(OTHER_NUMBER) });
    const { plan, declinedReason } = await replaceCard(context, request);
    expect([plan, declinedReason]).toMatchObject([{ status: PlanStatus.ACTIVE, maskedCard: '555555******4444' }, '']);
    expect(await eventsOf(id)).toEqual(['activated', 'past_due']);
    expect(acquirer.cards.at(-1)?.reveal()).toMatchObject({ number: OTHER_NUMBER, cvv: CVV });
  });

  test('at the first charge cancels the plan', async () => {
    const { context, goTo } = await setUp({ authorise: 'refuses' });
    const answer = await order(context);
    expect(answer).toMatchObject({
      plan: { status: PlanStatus.CANCELLED, endedReason: 'declined' },
      declinedReason: 'Do not honor',
    });
    await goTo(answer.plan?.planId ?? '', DAY_MS);
  });
});

test('a plan whose 3DS is never finished is cancelled after 24 hours', async () => {
  const { context, acquirer, clock, goTo } = await setUp();
  acquirer.state.first = 'challenge';
  const answer = await order(context);
  const id = answer.plan?.planId ?? '';
  expect(answer.plan).toMatchObject({ status: PlanStatus.PENDING, paymentUrl: 'https://acs.example/' });
  const cycle = (await cyclesOf(context, id))[0];
  await parts.fireTimers([context], clock, cycle?.cardTransactionId ?? '', clock.now() + 20 * 60_000);
  await goTo(id, 23 * 3_600_000);
  expect(await show(context, id)).toMatchObject({ status: PlanStatus.PENDING });
  await goTo(id, 2 * 3_600_000);
  expect(await show(context, id)).toMatchObject({ status: PlanStatus.CANCELLED, endedReason: 'not_authenticated' });
});

test('a card that takes the place of one whose customer is being authenticated has no network transaction id of that one', async () => {
  const { context, acquirer, goTo } = await setUp();
  acquirer.state.first = 'challenge';
  const id = await idOf(order(context));
  await replaceCard(context, create(ReplaceCardRequestSchema, { ...own(id), card: cardOf(OTHER_NUMBER) }));
  for (const held of acquirer.held.values()) held.status = 'authorised';
  acquirer.state.first = 'authorised';
  await goTo(id, 20 * 60_000);
  const { state } = await parts.findPlan(id);
  expect(state).toMatchObject({ status: 'active', card: { maskedCard: '555555******4444', networkTransactionId: '' } });
  await goTo(id, 63 * DAY_MS);
  expect(acquirer.cards.map((card) => card.reveal().number)).toEqual([NUMBER, OTHER_NUMBER, OTHER_NUMBER]);
  const sent = acquirer.requests.map(({ initiated, networkTransactionId }) => [initiated, networkTransactionId]);
  expect(sent.slice(1)).toEqual([
    ['merchant', undefined],
    ['merchant', 'ntid-1'],
  ]);
});

test('a plan whose issuer takes customers by POST only has a form instead of an address', async () => {
  const { context, acquirer } = await setUp();
  Object.assign(acquirer.state, { first: 'challenge', fields: [{ name: 'creq', value: 'abc' }] });
  const { plan } = await order(context);
  const shown = presentPlan(plan ?? expect.fail('no plan'));
  expect(shown).toMatchObject({ status: 'pending', action: 'redirect', payment_url: null });
  expect(shown.html_form).toContain('name="creq" value="abc"');
});

test('a card that expires is announced once, 30 days before', async () => {
  const { context, clock, goTo } = await setUp();
  const [year, month] = new Date(clock.now() + 100 * DAY_MS).toISOString().slice(2, 7).split('-');
  const id = await idOf(order(context, { expiry: `${month}/${year}` }));
  await goTo(id, 60 * DAY_MS);
  expect(await eventsOf(id)).toEqual(['activated']);
  await goTo(id, 45 * DAY_MS);
  expect((await eventsOf(id)).filter((event) => event === 'card_expiring')).toHaveLength(1);
});

test('moves that the plan does not allow are refused, and a plan that has ended has no card', async () => {
  const { context, goTo } = await setUp();
  const id = await idOf(order(context));
  const refused = (to: PlanMove) =>
    expect(move(context, id, to)).rejects.toMatchObject({ refusal: { refused: 'transaction_failed' } });
  await refused(PlanMove.RESUME);
  await move(context, id, PlanMove.CANCEL);
  for (const to of [PlanMove.PAUSE, PlanMove.RESUME, PlanMove.CANCEL]) await refused(to);
  const request = create(ReplaceCardRequestSchema, { ...own(id), card: cardOf() });
  await expect(replaceCard(context, request)).rejects.toThrow(RefusalError);
  const { token } = (await parts.findPlan(id)).state.card;
  await goTo(id, DAY_MS);
  expect(await parts.store().collection('card_tokens').find({ merchant_id: MERCHANT, users: id }).toArray()).toEqual([]);
  expect(token).not.toBe('');
});

test('nothing that is stored has a number or a security code', async () => {
  const everything = await parts.everything();
  expect(everything).toContain('424242******5196');
  for (const canary of [NUMBER, OTHER_NUMBER, `"${CVV}"`]) expect(everything).not.toContain(canary);
});
