import { create } from '@bufbuild/protobuf';
import { createClock, newUlid } from '@gerbang/core';
import { PaymentStatus, PayRequestSchema } from '@gerbang/proto/gerbang/cards/v1/cards';
import { CreatePlanRequestSchema, PlanInterval, PlanStatus } from '@gerbang/proto/gerbang/cards/v1/plans';
import { CardData } from '@gerbang/rails/card';
import { createLogger, Registry } from '@gerbang/runtime';
import { Crash, dying, testLog } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { describe, expect, test } from 'vitest';
import type { Context } from '../src/context.ts';
import { openCounters, VELOCITY } from '../src/limits/counters.ts';
import type { VelocityLimit } from '../src/limits/limit.ts';
import { reportsOf } from '../src/limits/reports.ts';
import { createVelocity, type Velocity } from '../src/limits/velocity.ts';
import { createCardMetrics } from '../src/metrics.ts';
import { advancePayment } from '../src/payment/advance.ts';
import { type NewPayment, placePayment } from '../src/payment/place.ts';
import { pay } from '../src/payment/rpc/pay.ts';
import { createPlan } from '../src/plan/rpc/create-plan.ts';
import { openCountingPrints } from '../src/vault/fingerprint.ts';
import { CVV, eventsOf, NUMBER, newId, newOrder, testKeys, useParts } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';

const parts = useParts();
const TEST_CARD = '4411111111111118';

/** Luhn-valid numbers of one issuer's range, which no other test has. */
function cardsOf(bin: string) {
  return (index: number) => {
    const body = bin + String(index).padStart(15 - bin.length, '0');
    const sum = [...body].reduce((total, digit, place) => total + luhnOf(Number(digit), place % 2 === 0), 0);
    return new CardData({ number: `${body}${(10 - (sum % 10)) % 10}`, expiry: '12/39', cvv: CVV, holderName: 'BUDI' });
  };
}
const luhnOf = (digit: number, isDoubled: boolean) => (isDoubled ? (digit * 2 > 9 ? digit * 2 - 9 : digit * 2) : digit);
let bins = 40_000_000;
const newCards = () => cardsOf(String(bins++));

type Replica = { velocity: Velocity; registry: Registry; lines: string[] };

/** A replica's limits; its metrics and log lines are its own. */
async function replicaOf(limits: readonly VelocityLimit[], clock = createClock(), countsTestCards = true): Promise<Replica> {
  const registry = new Registry();
  const lines: string[] = [];
  const log = createLogger({ service: 'cards', level: 'info' }, { write: (line) => void lines.push(line) });
  const metrics = createCardMetrics(registry, { acquirer: 'a', countPlans: async () => new Map(), planLagMs: async () => 0 });
  const velocity = createVelocity({
    ...reportsOf({ registry, log }, metrics),
    limits,
    counters: await openCounters(parts.store()),
    prints: await openCountingPrints(parts.store(), testKeys()),
    clock,
    log: testLog(),
    countsTestCards,
  });
  return { velocity, registry, lines };
}

async function setUp(limits: readonly VelocityLimit[], { replicas = 1, countsTestCards = true } = {}) {
  const clock = createClock();
  // The beginning of a window of any length, so that no test runs over its end.
  clock.setOffset(Math.ceil(clock.now() / 86_400_000) * 86_400_000 - clock.now());
  const acquirer = newAcquirer();
  const started = await Promise.all(Array.from({ length: replicas }, () => replicaOf(limits, clock, countsTestCards)));
  const open = ({ velocity }: Replica) => parts.newContext(acquirer, newLedger(), dying(undefined), { clock, velocity });
  const contexts = await Promise.all(started.map(open));
  const [context = expect.fail('no replica')] = contexts;
  /** Charges a card, and tells the failure's code, or what stands. */
  const charge = async (card: CardData, over: Partial<NewPayment> = {}, replica = context) => {
    const { state } = await placePayment(replica, newId(), newOrder(over), card);
    return state.status === 'failed' ? state.code : state.status;
  };
  const count = async (name: string, labels: string) => {
    const texts = await Promise.all(started.map(({ registry }) => registry.getSingleMetricAsString(name)));
    const found = texts.map((text) => new RegExp(`^${name}\\{${labels}\\} (\\d+)$`, 'm').exec(text)?.[1] ?? '0');
    return found.reduce((sum, one) => sum + Number(one), 0);
  };
  return { acquirer, clock, context, contexts, charge, count, lines: () => started.flatMap(({ lines }) => lines) };
}

test('of 200 concurrent attempts on two replicas a limit of 20 lets exactly 20 through', async () => {
  const { acquirer, contexts, count } = await setUp([{ by: 'card', seconds: 3_600, attempts: 20 }], { replicas: 2 });
  const card = newCards()(1);
  const ids = Array.from({ length: 200 }, newId);
  await Promise.all(ids.map((id, i) => placePayment(contexts[i % 2] ?? expect.fail('no replica'), id, newOrder(), card)));
  // Those that took longer than a request is answered in.
  await Promise.all(contexts.map(({ background }) => background.settled()));
  const states = await Promise.all(ids.map(async (id) => (await parts.find(id)).state));
  const answers = states.map((state) => (state.status === 'failed' ? state.code : state.status));
  expect(answers.filter((answer) => answer === 'authorised')).toHaveLength(20);
  expect(answers.filter((answer) => answer === 'RISK_DECLINED')).toHaveLength(180);
  expect(acquirer.cards).toHaveLength(20);
  expect(await count('gerbang_card_velocity_refusals_total', 'by="card"')).toBe(180);
}, 60_000);

describe('a refused payment', () => {
  test('is stored as failed and published, never sent, and does not tell which limit it was', async () => {
    const limits = [{ by: 'card', seconds: 60, attempts: 1 } as const, { by: 'merchant', seconds: 60, attempts: 2 } as const];
    const { acquirer, context } = await setUp(limits);
    const cards = newCards();
    const merchantId = newUlid(Date.now());
    const answers = [cards(1), cards(1), cards(2)].map((card) => async () => {
      const { number, expiry, cvv = '', holderName } = card.reveal();
      const request = { ...newOrder(), merchantId, card: { number, expiry, cvv, holderName } };
      return (await pay(context, create(PayRequestSchema, request))).payment;
    });
    const [first, byCard, byMerchant] = [await answers[0]?.(), await answers[1]?.(), await answers[2]?.()];
    expect(first?.status).toBe(PaymentStatus.SUCCESS);
    const refused = { status: PaymentStatus.FAILED, failedCode: 'RISK_DECLINED', failedReason: 'Declined by risk rules' };
    expect([byCard, byMerchant]).toMatchObject([refused, refused]);
    expect(acquirer.asked).toEqual(['authorise']);
    const stored = await parts.find(byCard?.id ?? '');
    expect([stored.state.status, eventsOf(stored)]).toEqual(['failed', ['failed']]);
  });

  test('may be tried again in the next window', async () => {
    const { charge, clock } = await setUp([{ by: 'card', seconds: 60, attempts: 1 }]);
    const card = newCards()(1);
    expect([await charge(card), await charge(card)]).toEqual(['authorised', 'RISK_DECLINED']);
    clock.setOffset(clock.offsetMs() + 60_000);
    expect(await charge(card)).toBe('authorised');
  });
});

describe('what is counted', () => {
  test('a card over all merchants, with any expiry and code', async () => {
    const { acquirer, charge } = await setUp([{ by: 'card', seconds: 60, declines: 2 }]);
    acquirer.behaviour.authorise = 'refuses';
    const { number } = newCards()(1).reveal();
    const guess = (expiry: string, cvv: string) => new CardData({ number, expiry, cvv, holderName: 'BUDI' });
    expect(await charge(guess('01/30', '001'), { merchantId: newUlid(1) })).toBe('05');
    expect(await charge(guess('02/30', '002'), { merchantId: newUlid(2) })).toBe('05');
    expect(await charge(guess('03/30', '003'), { merchantId: newUlid(3) })).toBe('RISK_DECLINED');
  });

  test('a BIN at each merchant for itself, so that the tester of one merchant closes it to no other', async () => {
    const { acquirer, charge, clock } = await setUp([{ by: 'bin', seconds: 600, declines: 3, declined_percent: 80 }]);
    const [tested, other, cards] = [newUlid(clock.now()), newUlid(clock.now()), newCards()];
    acquirer.behaviour.authorise = 'refuses';
    for (let i = 0; i < 3; i++) await charge(cards(i), { merchantId: tested });
    acquirer.behaviour.authorise = 'takes';
    expect([await charge(cards(8), { merchantId: tested }), await charge(cards(9), { merchantId: other })]).toEqual([
      'RISK_DECLINED',
      'authorised',
    ]);
  });

  test('declines of a BIN where they are most of its attempts: of the eight digits, over many cards', async () => {
    const { acquirer, charge } = await setUp([{ by: 'bin', seconds: 60, declines: 3, declined_percent: 80 }]);
    const [good, bad] = [newCards(), newCards()];
    const attempt = (card: CardData, isDeclined: boolean) => {
      acquirer.behaviour.authorise = isDeclined ? 'refuses' : 'takes';
      return charge(card);
    };
    for (let i = 0; i < 4; i++) await attempt(good(i), i > 0);
    // Three of four are not 80 percent.
    expect(await attempt(good(9), false)).toBe('authorised');
    for (let i = 0; i < 3; i++) await attempt(bad(i), true);
    expect([await attempt(bad(9), false), await attempt(good(10), false)]).toEqual(['RISK_DECLINED', 'authorised']);
  });

  test('a share of declines by the window of their attempts, so that a rush that ends late closes no later window', async () => {
    const { acquirer, charge, clock, context } = await setUp([
      { by: 'merchant', seconds: 600, declines: 3, declined_percent: 60 },
      { by: 'card', seconds: 600, declines: 3 },
    ]);
    const [merchantId, cards] = [newUlid(clock.now()), newCards()];
    const challenge = async (index: number) => {
      const id = newId();
      acquirer.state.first = 'challenge';
      await placePayment(context, id, newOrder({ merchantId }), cards(index));
      acquirer.state.first = 'authorised';
      return id;
    };
    const decline = async (id: string) => {
      Object.assign(acquirer.held.get(id) ?? expect.fail('never sent'), { status: 'declined' });
      expect((await advancePayment(context, await parts.find(id))).state).toMatchObject({ code: '05' });
    };
    clock.setOffset(clock.offsetMs() + 590_000);
    const late = [await challenge(1), await challenge(1), await challenge(1)];
    for (let i = 0; i < 12; i++) await charge(cards(10 + i), { merchantId });
    clock.setOffset(clock.offsetMs() + 20_000);
    for (const id of late) await decline(id);
    // Without a share a late decline counts when it is known.
    expect([await charge(cards(2), { merchantId }), await charge(cards(1))]).toEqual(['authorised', 'RISK_DECLINED']);
    // In the window of their attempts they count, three of four.
    for (const id of [await challenge(3), await challenge(4), await challenge(5)]) await decline(id);
    expect(await charge(cards(6), { merchantId })).toBe('RISK_DECLINED');
  });

  test("the customer's address where it is known, as a network, and apart from the merchant's own", async () => {
    const { charge } = await setUp([
      { by: 'client', seconds: 60, attempts: 1 },
      { by: 'caller', seconds: 60, attempts: 1 },
    ]);
    const cards = newCards();
    const from = (clientAddress: string, index: number) => charge(cards(index), { clientAddress });
    expect([await from('2001:db8:1:2::1', 1), await from('2001:db8:1:2::2', 2)]).toEqual(['authorised', 'RISK_DECLINED']);
    expect([await charge(cards(3)), await charge(cards(4))]).toEqual(['authorised', 'authorised']);
    const by = (callerAddress: string, index: number) => charge(cards(index), { callerAddress });
    expect([await by('2001:db8:1:2::1', 5), await by('2001:db8:1:2::2', 6)]).toEqual(['authorised', 'RISK_DECLINED']);
  });

  test("no refusal that is the acquirer's or our fault, but the declines of the issuer", async () => {
    const { acquirer, charge, count } = await setUp([{ by: 'card', seconds: 3_600, declines: 2 }]);
    const card = newCards()(1);
    acquirer.behaviour.authorise = 'refuses';
    const refuse = (code: string) => {
      acquirer.state.declineCode = code;
      return charge(card);
    };
    const faults = ['03', '12', '13', '30', '40', '58', 'invalid_request'];
    for (const code of [...faults, '51', '05']) expect(await refuse(code)).toBe(code);
    expect(await refuse('51')).toBe('RISK_DECLINED');
    expect(await count('gerbang_card_velocity_refusals_total', 'by="card"')).toBe(1);
  });

  test('a customer who goes away is no decline, and a decline counts once', async () => {
    const { acquirer, charge, clock, context } = await setUp([{ by: 'card', seconds: 86_400, declines: 2 }]);
    const card = newCards()(1);
    acquirer.state.first = 'challenge';
    const id = newId();
    await placePayment(context, id, newOrder(), card);
    const late = await parts.fireTimers([context], clock, id, clock.now() + 3_600_000);
    expect(late.state).toMatchObject({ code: 'AUTHENTICATION_EXPIRED' });
    acquirer.behaviour.authorise = 'refuses';
    const declined = newId();
    const { order } = await placePayment(context, declined, newOrder(), card);
    await context.velocity.declined(order);
    expect([await charge(card), await charge(card)]).toEqual(['05', 'RISK_DECLINED']);
  });

  test("none of the sandbox's test cards, but in production", async () => {
    const card = new CardData({ number: TEST_CARD, expiry: '12/39', cvv: CVV, holderName: 'BUDI' });
    const limits = [{ by: 'card', seconds: 60, attempts: 1 } as const];
    const sandbox = await setUp(limits, { countsTestCards: false });
    expect([await sandbox.charge(card), await sandbox.charge(card)]).toEqual(['authorised', 'authorised']);
    const production = await setUp(limits);
    expect([await production.charge(card), await production.charge(card)]).toEqual(['authorised', 'RISK_DECLINED']);
  });
});

describe('of a plan', () => {
  /** How many windows of a limit there are: one for each charge that it has counted, a day apart. */
  const windows = async (limit: string) => {
    const all = await parts.store().collection<{ _id: string }>(VELOCITY).find({}).toArray();
    return all.filter(({ _id }) => _id.startsWith(`${limit}:`)).length;
  };
  const order = (context: Context, card: CardData, over: { startAtMs?: bigint } = {}) => {
    const { number, expiry, cvv = '', holderName } = card.reveal();
    const { merchantId, accountId, customer } = newOrder();
    const [interval, callerAddress] = [PlanInterval.DAY, '203.0.113.9'];
    const asked = { merchantId, accountId, customer, name: 'Gym', amountSen: 1_000_00n, interval, intervalCount: 1, ...over };
    const entered = { card: { number, expiry, cvv, holderName }, callerAddress };
    return createPlan(context, create(CreatePlanRequestSchema, { ...asked, ...entered }));
  };

  test('the first charge of a card is counted, and the later ones are not', async () => {
    const { acquirer, clock, context } = await setUp([{ by: 'card', seconds: 3_600, attempts: 1 }]);
    const cards = newCards();
    const before = await windows('card/3600');
    const { plan } = await order(context, cards(1));
    expect(plan?.status).toBe(PlanStatus.ACTIVE);
    const refused = await order(context, cards(1));
    expect([refused.plan?.status, refused.declinedReason]).toEqual([PlanStatus.CANCELLED, 'Declined by risk rules']);
    await parts.firePlanTimers([context], clock, plan?.planId ?? '', clock.now() + 3 * 86_400_000);
    expect(acquirer.requests.map(({ initiated }) => initiated)).toEqual([undefined, 'merchant', 'merchant', 'merchant']);
    expect((await windows('card/3600')) - before).toBe(1);
    // One that starts later charges a card that no one has charged yet.
    const later = await order(context, cards(2), { startAtMs: BigInt(clock.now() + 1_000) });
    await parts.firePlanTimers([context], clock, later.plan?.planId ?? '', clock.now() + 2 * 86_400_000);
    expect([acquirer.requests.length, (await windows('card/3600')) - before]).toEqual([6, 2]);
  });

  test('each charge is counted where the acquirer gives no network transaction id, those by the timer without an address', async () => {
    const { acquirer, clock, context } = await setUp([
      { by: 'card', seconds: 7_200, attempts: 1 },
      { by: 'caller', seconds: 7_200, attempts: 9 },
      { by: 'client', seconds: 7_200, attempts: 9 },
    ]);
    acquirer.state.networkTransactionId = '';
    const counted = () => Promise.all(['card/7200', 'caller/7200', 'client/7200'].map(windows));
    const cards = newCards();
    expect(await counted()).toEqual([0, 0, 0]);
    const { plan } = await order(context, cards(1));
    await parts.firePlanTimers([context], clock, plan?.planId ?? '', clock.now() + 3 * 86_400_000);
    expect([acquirer.requests.length, await counted()]).toEqual([4, [4, 1, 0]]);
    const later = await order(context, cards(2), { startAtMs: BigInt(clock.now() + 1_000) });
    await parts.firePlanTimers([context], clock, later.plan?.planId ?? '', clock.now() + 2_000);
    expect([acquirer.requests.length, await counted()]).toEqual([5, [5, 1, 0]]);
  });
});

describe('a process that dies while it counts', () => {
  const crash = async () => {
    throw new Crash();
  };

  test.each(['before', 'after'])('%s the attempt is written has sent nothing; the retry is sent once', async (when) => {
    const { acquirer, clock, context } = await setUp([{ by: 'card', seconds: 3_600, attempts: 9 }]);
    const { velocity } = context;
    const isRefused: Velocity['isRefused'] = async (attempt) => {
      if (when === 'after') await velocity.isRefused(attempt);
      return crash();
    };
    const [retried, given] = [newId(), newId()];
    const card = newCards()(1);
    for (const id of [retried, given]) {
      const mortal = { ...context, velocity: { ...velocity, isRefused } };
      expect((await placePayment(mortal, id, newOrder(), card)).state.status).toBe('created');
    }
    expect((await placePayment(context, retried, newOrder(), card)).state.status).toBe('authorised');
    const after = await parts.fireTimers([context], clock, given, clock.now() + 60_000);
    expect([after.state, eventsOf(after)]).toMatchObject([{ code: 'NOT_SENT' }, ['failed']]);
    expect(acquirer.cards).toHaveLength(1);
  });
});

test('card testing is one line and one count for a window over all replicas, without a digit of a card', async () => {
  const limits = [{ by: 'bin', seconds: 600, declines: 3 } as const];
  const { acquirer, charge, contexts, count, lines } = await setUp(limits, { replicas: 2 });
  acquirer.behaviour.authorise = 'refuses';
  const cards = newCards();
  const merchantId = newUlid(Date.now());
  for (let i = 0; i < 12; i++) await charge(cards(i), { merchantId }, contexts[i % 2]);
  const events = 'listener="cards",kind="rate_limited",reason="card_testing_by_bin"';
  expect(await count('gerbang_security_events_total', events)).toBe(1);
  const [line = '', ...more] = lines().filter((one) => one.includes('security_event'));
  expect(JSON.parse(line)).toMatchObject({ reason: 'card_testing_by_bin', merchant_id: merchantId, address: 'unknown' });
  expect(more).toEqual([]);
  expect(line).not.toContain(cards(0).reveal().number.slice(0, 6));
  expect(acquirer.cards).toHaveLength(3);
});

test('counters tell no card and no address, and are removed by themselves', async () => {
  const { charge } = await setUp([
    { by: 'card', seconds: 60, attempts: 9, declines: 9 },
    { by: 'bin', seconds: 60, attempts: 9 },
    { by: 'client', seconds: 60, attempts: 9 },
  ]);
  await charge(new CardData({ number: NUMBER, expiry: '12/39', cvv: CVV, holderName: 'BUDI' }), {
    clientAddress: '203.0.113.77',
  });
  const collection = parts.store().collection(VELOCITY);
  const text = JSON.stringify(await collection.find({}).toArray());
  for (const secret of [NUMBER, NUMBER.slice(0, 8), NUMBER.slice(-4), '203.0.113.77']) expect(text).not.toContain(secret);
  expect((await collection.find({}).toArray()).every(({ expires_at }) => expires_at instanceof Date)).toBe(true);
  expect(await collection.indexes()).toContainEqual(expect.objectContaining({ expireAfterSeconds: 0 }));
});
