import { create } from '@bufbuild/protobuf';
import { createClock, RefusalError } from '@gerbang/core';
import {
  CancelRequestSchema,
  GetReturnRequestSchema,
  PayLinkRequestSchema,
  PaymentStatus,
} from '@gerbang/proto/gerbang/cards/v1/cards';
import { FeeRuleSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { Crash, type Death, dying } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { describe, expect, test } from 'vitest';
import type { Context } from '../src/context.ts';
import { onPaymentDue } from '../src/payment/advance.ts';
import { cancel } from '../src/payment/rpc/cancel.ts';
import { getReturn } from '../src/payment/rpc/get-return.ts';
import { payLink } from '../src/payment/rpc/pay-link.ts';
import { ACCOUNT, CVV, eventsOf, MERCHANT, NUMBER, useParts } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';
import { newLinks } from './scripted-links.ts';

const parts = useParts();
const DAY_MS = 86_400_000;
const SESSION_MS = 900_000;

type Options = Parameters<ReturnType<typeof useParts>['newContext']>[3];

async function setUp(behaviour: Parameters<typeof newAcquirer>[0] = {}, { death, ...options }: Options & { death?: Death } = {}) {
  const acquirer = newAcquirer(behaviour);
  const ledger = newLedger();
  const clock = createClock();
  const { links, session } = newLinks(clock.now() + SESSION_MS);
  const counted = dying(death);
  const open = (by = dying(undefined)) => parts.newContext(acquirer, ledger, by, { clock, links, ...options });
  const context = await open();
  const replicas = [context, await open()] as const;
  const pay = (attempt = 1, { by = context, number = NUMBER }: { by?: Context; number?: string } = {}) =>
    payLink(
      by,
      create(PayLinkRequestSchema, {
        reffNo: session.reffNo,
        attempt,
        card: { number, expiry: '12/39', cvv: CVV, holderName: 'SRI' },
      }),
    );
  const id = (attempt = 1) => session.tries[attempt - 1]?.paymentId ?? expect.fail('no try');
  const goTo = (ms: number, attempt = 1) => parts.fireTimers(replicas, clock, id(attempt), clock.now() + ms);
  return { acquirer, ledger, clock, session, counted, mortal: await open(counted), context, replicas, pay, id, goTo };
}

const own = (id: string) => create(CancelRequestSchema, { merchantId: MERCHANT, accountId: ACCOUNT, id });

test('a card pays a link: the session counts it before it is captured, then the money is captured and settles', async () => {
  const fees = [create(FeeRuleSchema, { product: 'card', basisPoints: 200 })];
  const { pay, session, id, goTo, ledger } = await setUp({}, { fees });
  expect(await pay()).toMatchObject({ status: PaymentStatus.SUCCESS, paymentUrl: '' });
  expect(session).toMatchObject({ paidBy: id(), uses: 1, feeSen: 5_000_00n, hasSettled: false });
  expect(ledger.keys()).toEqual([]);
  const settled = await goTo(DAY_MS);
  expect([settled.state.status, settled.told]).toEqual(['settled', 'settled']);
  expect(session).toMatchObject({ hasSettled: true, uses: 1 });
  expect(ledger.balance).toEqual({ pending: 0n, available: 245_000_00n });
  // Merchants hear of it as of any other method of a link.
  expect(eventsOf(settled)).toEqual([]);
});

test('the fee is that of links where the merchant has one', async () => {
  const fees = ['card', 'payment-link'].map((product, i) => create(FeeRuleSchema, { product, basisPoints: 100 * (i + 1) }));
  const { pay, session } = await setUp({}, { fees });
  await pay();
  expect(session.feeSen).toBe(5_000_00n);
});

test('a decline opens the session for another card; the forms of tries that are over charge nothing', async () => {
  const { pay, session, acquirer, id } = await setUp({ authorise: 'refuses' });
  expect((await pay(1)).status).toBe(PaymentStatus.FAILED);
  expect(session.tries.map(({ isOpen }) => isOpen)).toEqual([false]);
  acquirer.behaviour.authorise = 'takes';
  expect((await pay(1)).status).toBe(PaymentStatus.FAILED);
  expect(acquirer.cards).toHaveLength(1);
  expect((await pay(2)).status).toBe(PaymentStatus.SUCCESS);
  expect([session.paidBy, acquirer.cards.length]).toEqual([id(2), 2]);
});

test('a form that is submitted by two pages at once charges once', async () => {
  const { pay, session, acquirer, replicas } = await setUp();
  await Promise.all([pay(1, { by: replicas[0] }), pay(1, { by: replicas[1] }), pay(1, { by: replicas[0] })]);
  expect((await pay(1)).status).toBe(PaymentStatus.SUCCESS);
  expect([acquirer.cards.length, session.uses, session.tries.length]).toEqual([1, 1, 1]);
});

test('a second card under the same try is not charged in the place of the first', async () => {
  const { pay, session, acquirer, context, id, goTo } = await setUp();
  const insertOrFind = context.payments.insertOrFind.bind(context.payments);
  // The process dies right before it sends.
  context.payments.insertOrFind = async (order) => {
    await insertOrFind(order);
    throw new Crash();
  };
  await expect(pay(1)).rejects.toThrow(Crash);
  context.payments.insertOrFind = insertOrFind;
  await pay(1, { number: '4111111111111111' });
  expect(acquirer.cards).toHaveLength(0);
  await goTo(60_000);
  expect([(await parts.find(id())).state.status, session.tries[0]?.isOpen]).toEqual(['failed', false]);
});

describe('3DS', () => {
  test('leads to the issuer and back to the session; the return proves nothing', async () => {
    const { pay, acquirer, context, id, session } = await setUp();
    acquirer.state.first = 'challenge';
    expect(await pay()).toMatchObject({ status: PaymentStatus.PENDING, paymentUrl: 'https://acs.example/' });
    const back = () => getReturn(context, create(GetReturnRequestSchema, { id: id() }));
    expect(await back()).toMatchObject({
      status: PaymentStatus.PENDING,
      paymentUrl: 'https://acs.example/',
      linkReffNo: session.linkReffNo,
      sessionReffNo: session.reffNo,
    });
    expect(session.paidBy).toBeUndefined();
    Object.assign(acquirer.held.get(id()) ?? {}, { status: 'authorised' });
    expect((await back()).status).toBe(PaymentStatus.SUCCESS);
    expect(session.paidBy).toBe(id());
  });

  test('of an issuer who takes customers by POST only leads there by a form', async () => {
    const { pay, acquirer, context, id } = await setUp();
    const fields = [{ name: 'creq', value: 'abc' }];
    Object.assign(acquirer.state, { first: 'challenge', fields });
    const form = { status: PaymentStatus.PENDING, paymentUrl: '', paymentForm: { url: 'https://acs.example/', fields } };
    expect(await pay()).toMatchObject(form);
    expect(await getReturn(context, create(GetReturnRequestSchema, { id: id() }))).toMatchObject(form);
  });

  test('that is abandoned ends with the session, not after it', async () => {
    const { pay, acquirer, goTo, id, session } = await setUp();
    acquirer.state.first = 'challenge';
    await pay();
    await goTo(SESSION_MS + 60_000);
    const { state } = await parts.find(id());
    expect(state).toMatchObject({ status: 'failed', code: 'AUTHENTICATION_EXPIRED' });
    expect([acquirer.held.get(id())?.status, session.tries[0]?.isOpen]).toEqual(['voided', false]);
  });
});

describe('a success that the session does not take any more', () => {
  test('is voided, and never captured', async () => {
    const { pay, acquirer, session, id, goTo, ledger } = await setUp();
    acquirer.state.first = 'pending';
    await pay();
    session.isOver = true;
    Object.assign(acquirer.held.get(id()) ?? {}, { status: 'authorised' });
    const after = await goTo(DAY_MS);
    expect([after.state.status, after.told]).toEqual(['cancelled', 'refused']);
    expect(acquirer.held.get(id())).toMatchObject({ captures: 0, voids: 1 });
    expect([ledger.keys(), session.paidBy]).toEqual([[], undefined]);
  });

  test('is refunded where the acquirer does not void it', async () => {
    const { pay, acquirer, session, id, goTo, ledger } = await setUp({ void: 'refuses' });
    acquirer.state.first = 'pending';
    await pay();
    session.isOver = true;
    Object.assign(acquirer.held.get(id()) ?? {}, { status: 'authorised' });
    expect((await goTo(DAY_MS)).state.status).toBe('refunded');
    expect(ledger.balance).toEqual({ pending: 0n, available: 0n });
  });

  test('is for operators where the acquirer gives nothing back', async () => {
    const { pay, acquirer, session, id, goTo } = await setUp({ void: 'refuses', refund: 'refuses' });
    acquirer.state.first = 'pending';
    await pay();
    session.isOver = true;
    Object.assign(acquirer.held.get(id()) ?? {}, { status: 'authorised' });
    const after = await goTo(DAY_MS);
    expect(after.state.status).toBe('settled');
    expect(after.document.unresolved_at).toBeInstanceOf(Date);
  });
});

test('it is not captured while money-in does not answer, and is counted once it does', async () => {
  const { pay, session, acquirer, replicas, id, clock, goTo } = await setUp();
  await pay(2).catch(() => {});
  expect(acquirer.cards).toHaveLength(0);
  acquirer.state.first = 'pending';
  await pay(1);
  session.isAway = true;
  Object.assign(acquirer.held.get(id()) ?? {}, { status: 'authorised' });
  clock.setOffset(clock.offsetMs() + 60_000);
  for (let i = 0; i < 3; i++) await expect(onPaymentDue(replicas[0], await parts.find(id()))).rejects.toThrow(RefusalError);
  expect([acquirer.held.get(id())?.captures, session.paidBy]).toEqual([0, undefined]);
  session.isAway = false;
  expect((await goTo(DAY_MS)).state.status).toBe('settled');
  expect([acquirer.held.get(id())?.captures, session.uses]).toEqual([1, 1]);
});

test.each([0, 31_000, DAY_MS])('a cancel by the merchant %i ms later takes the session back', async (afterMs) => {
  const { pay, session, context, id, goTo } = await setUp();
  await pay();
  await goTo(afterMs);
  await cancel(context, own(id()));
  expect([session.uses, session.isReversed]).toEqual([1, true]);
});

/** The road to a success that counts, or to a decline; then that of a void. */
const STEPS = 8;
const STEPS_OF_VOID = 11;
const steps = Array.from({ length: STEPS_OF_VOID }, (_, i) => i + 1);
const deaths = (last: number): Death[] => [
  ...steps.slice(0, last).map((step) => ({ step, when: 'before' as const })),
  { step: last, when: 'after' },
];

describe.each<[string, Parameters<typeof newAcquirer>[0] & object, boolean, number]>([
  ['counts', {}, false, STEPS],
  ['is over', {}, true, STEPS_OF_VOID],
  ['goes on, since the card is declined,', { authorise: 'refuses' }, false, STEPS],
])('a payment of a session that %s', (_what, behaviour, isOver, last) => {
  test.each(deaths(last))('and whose process dies $when step $step, ends in the books and at money-in alike', async (death) => {
    const { pay, session, acquirer, mortal, goTo, ledger, id } = await setUp(behaviour, { death });
    session.endsOnceBegun = isOver;
    const begun = pay(1, { by: mortal }).catch((error: unknown) => {
      if (!(error instanceof Crash) && !(error instanceof RefusalError)) throw error;
    });
    await begun;
    await mortal.background.settled();
    // The customer submits the form once more.
    if (session.tries.length === 0) return expect(acquirer.cards).toHaveLength(0);
    await pay(1);
    const after = await goTo(DAY_MS);
    const held = acquirer.held.get(id());
    expect(acquirer.cards.length).toBeLessThanOrEqual(1);
    const isPaid = session.paidBy === id();
    if (isOver || behaviour.authorise === 'refuses') expect(isPaid).toBe(false);
    expect(session.uses).toBe(isPaid ? 1 : 0);
    expect(held?.captures ?? 0).toBe(isPaid ? 1 : 0);
    expect(ledger.balance.available).toBe(isPaid ? 250_000_00n : 0n);
    expect([after.state.status, session.hasSettled]).toEqual(
      isPaid ? ['settled', true] : [expect.stringMatching(/^(?:failed|cancelled)$/), false],
    );
    if (!isPaid) expect([session.tries[0]?.isOpen, held?.status]).not.toContain('authorised');
  });
});

test('the tables have a row for every step', async () => {
  const stepsOf = async (isOver: boolean, behaviour: Parameters<typeof newAcquirer>[0]) => {
    const { pay, session, mortal, counted } = await setUp(behaviour);
    session.endsOnceBegun = isOver;
    await pay(1, { by: mortal });
    return counted.steps();
  };
  expect(await stepsOf(false, {})).toBe(STEPS);
  expect(await stepsOf(false, { authorise: 'refuses' })).toBe(STEPS);
  expect(await stepsOf(true, {})).toBe(STEPS_OF_VOID);
});

test('no digit of the card is in the database after all that', async () => {
  const text = await parts.everything();
  expect(text.length).toBeGreaterThan(10_000);
  for (const digits of [NUMBER, NUMBER.slice(6, 12), `"${CVV}"`]) expect(text).not.toContain(digits);
});

test('a void that money-in could not hear of is told by the timer, and asks the acquirer nothing more', async () => {
  const { pay, session, context, acquirer, id, goTo } = await setUp();
  await pay();
  await context.background.settled();
  session.isAway = true;
  await cancel(context, own(id())).catch(() => {});
  await context.background.settled();
  session.isAway = false;
  const asked = acquirer.asked.length;
  await goTo(DAY_MS);
  expect(session.isReversed).toBe(true);
  expect(acquirer.asked.slice(asked)).toEqual([]);
});

test('a success that can neither be taken nor given back waits for operators', async () => {
  const terms = JSON.stringify({ void_hours: 24, refunds: false, installments: [] });
  const { pay, session, acquirer, id, goTo } = await setUp({ void: 'refuses' }, { terms });
  acquirer.state.first = 'pending';
  await pay();
  session.isOver = true;
  Object.assign(acquirer.held.get(id()) ?? expect.fail('it was not sent'), { status: 'authorised' });
  expect((await goTo(DAY_MS)).document.unresolved_at).toBeInstanceOf(Date);
});
