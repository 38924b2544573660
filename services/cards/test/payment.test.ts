import { create } from '@bufbuild/protobuf';
import { createClock, RefusalError } from '@gerbang/core';
import { presentCardTransaction } from '@gerbang/present';
import {
  CancelRequestSchema,
  CancelType,
  GetPaymentRequestSchema,
  GetReturnRequestSchema,
  PaymentSchema,
  PaymentStatus,
  PayRequestSchema,
  ReportPaymentRequestSchema,
} from '@gerbang/proto/gerbang/cards/v1/cards';
import { FeeRuleSchema, LimitSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { CardData } from '@gerbang/rails/card';
import { dying } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { describe, expect, test } from 'vitest';
import type { Context } from '../src/context.ts';
import { onPaymentDue } from '../src/payment/advance.ts';
import { placePayment } from '../src/payment/place.ts';
import { cancel } from '../src/payment/rpc/cancel.ts';
import { getPayment } from '../src/payment/rpc/get-payment.ts';
import { getReturn } from '../src/payment/rpc/get-return.ts';
import { pay } from '../src/payment/rpc/pay.ts';
import { reportPayment } from '../src/payment/rpc/report-payment.ts';
import { ACCOUNT, CVV, card, eventsOf, MERCHANT, NUMBER, newId, newOrder, useParts } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';

const parts = useParts();
const DAY_MS = 86_400_000;
const FEE = create(FeeRuleSchema, { product: 'card', basisPoints: 200, vendorBasisPoints: 150 });

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal.refused;
    throw error;
  }
  return expect.fail('it was not refused');
}

type Options = Parameters<ReturnType<typeof useParts>['newContext']>[3];

async function setUp(options: Options = {}, behaviour: Parameters<typeof newAcquirer>[0] = {}) {
  const acquirer = newAcquirer(behaviour);
  const ledger = newLedger();
  const clock = createClock();
  const context = await parts.newContext(acquirer, ledger, dying(), { clock, ...options });
  const id = newId();
  const goTo = (ms: number) => parts.fireTimers([context], clock, id, clock.now() + ms);
  return { acquirer, ledger, clock, context, id, goTo };
}

const own = (id: string) => ({ merchantId: MERCHANT, accountId: ACCOUNT, id });
const cancelOf = (context: Context, id: string) => cancel(context, create(CancelRequestSchema, own(id)));
const report = (context: Context, id: string) => reportPayment(context, create(ReportPaymentRequestSchema, { reference: id }));

function payRequest(over: Partial<{ key: string; cvv: string; number: string }> = {}) {
  const { key, cvv = CVV, number = NUMBER } = over;
  return create(PayRequestSchema, {
    ...newOrder(),
    card: { number, expiry: '12/39', cvv, holderName: 'BUDI' },
    ...(key !== undefined && { idempotencyKey: { key, route: 'POST /payment', bodyHash: 'without the card' } }),
  });
}

test('a payment is answered, credited at its capture with fee and MDR, and settled', async () => {
  const { context, ledger, id, goTo } = await setUp({ fees: [FEE] });
  const placed = await placePayment(context, id, newOrder(), card());
  expect(placed.state).toMatchObject({ status: 'authorised' });
  expect(placed.order).toMatchObject({ maskedCard: '424242******5196', brand: 'VISA' });
  expect(ledger.balance).toEqual({ pending: 0n, available: 0n });
  await goTo(31_000);
  expect(ledger.balance).toEqual({ pending: 245_000_00n, available: 0n });
  await goTo(DAY_MS);
  expect(ledger.balance).toEqual({ pending: 0n, available: 245_000_00n });
  const { payment } = await getPayment(context, create(GetPaymentRequestSchema, own(id)));
  expect(payment).toMatchObject({ feeSen: 5_000_00n, netSen: 245_000_00n, mdrBasisPoints: 200, hasSettled: true });
});

describe('an Idempotency-Key', () => {
  test('gives the first answer again, and charges once', async () => {
    const { context, acquirer } = await setUp();
    const first = await pay(context, payRequest({ key: 'k-1' }));
    const again = await pay(context, payRequest({ key: 'k-1', cvv: '000' }));
    expect([again.replayed, again.payment?.id]).toEqual([true, first.payment?.id]);
    expect(acquirer.cards.length).toBe(1);
  });

  test('keeps nothing of the card', async () => {
    const { context } = await setUp();
    await pay(context, payRequest({ key: 'k-2' }));
    const text = await parts.everything();
    expect(text).not.toContain(NUMBER);
    expect(text).not.toContain(NUMBER.slice(6, 12));
  });
});

test.each([
  ['12/39', false],
  ['11/26', false],
  ['10/26', true],
  ['01/20', true],
])('a card of %s is past in November 2026: %s', async (expiry, isPast) => {
  const clock = createClock(() => Date.parse('2026-11-30T16:59:59Z'));
  const { context, id } = await setUp({ clock });
  const given = new CardData({ number: NUMBER, expiry, cvv: CVV, holderName: 'BUDI' });
  const placed = placePayment(context, id, newOrder(), given);
  if (isPast) expect(await refusalOf(placed)).toBe('validation');
  else expect((await placed).state.status).toBe('authorised');
});

test('installments are offered by months, BIN of six or eight digits, and amount', async () => {
  const terms = JSON.stringify({
    installments: [
      { bins: ['42424281'], months: [3, 6], minimum: 500_000 },
      { bins: ['555555'], months: [12] },
    ],
  });
  const { context } = await setUp({ terms });
  const order = (months: number, rupiah: bigint) =>
    placePayment(context, newId(), newOrder({ installment: 2, installmentMonths: months, amountSen: rupiah * 100n }), card());
  expect((await order(6, 500_000n)).state.status).toBe('authorised');
  expect(await refusalOf(order(6, 499_999n))).toBe('validation');
  expect(await refusalOf(order(12, 900_000n))).toBe('validation');
  expect(await refusalOf(order(24, 900_000n))).toBe('validation');
});

test('limits of one payment hold', async () => {
  const limits = [create(LimitSchema, { product: 'card', minimumSen: 10_000_00n, maximumSen: 200_000_00n })];
  const { context, acquirer } = await setUp({ limits });
  expect(await refusalOf(placePayment(context, newId(), newOrder(), card()))).toBe('account_limit');
  expect(acquirer.cards.length).toBe(0);
});

describe('3DS', () => {
  test('coming back proves nothing: the acquirer is asked', async () => {
    const { context, acquirer, id } = await setUp();
    acquirer.state.first = 'challenge';
    const placed = await placePayment(context, id, newOrder({ redirectUrl: 'https://shop.example/' }), card());
    expect(placed.state).toMatchObject({ status: 'challenging', url: 'https://acs.example/' });
    const request = create(GetReturnRequestSchema, { id });
    expect((await getReturn(context, request)).status).toBe(PaymentStatus.PENDING);
    Object.assign(acquirer.held.get(id) ?? {}, { status: 'authorised' });
    expect(await getReturn(context, request)).toMatchObject({
      status: PaymentStatus.SUCCESS,
      redirectUrl: 'https://shop.example/',
    });
  });

  test('who comes back while the acquirer is being asked sees what it says', async () => {
    const { context, acquirer, ledger, clock, id } = await setUp();
    acquirer.state.first = 'challenge';
    await placePayment(context, id, newOrder(), card());
    Object.assign(acquirer.held.get(id) ?? {}, { status: 'authorised' });
    const other = await parts.newContext(acquirer, ledger, undefined, { clock });
    context.inProgress.add(id);
    const page = getReturn(context, create(GetReturnRequestSchema, { id }));
    await onPaymentDue(other, await parts.find(id));
    context.inProgress.delete(id);
    expect((await page).status).toBe(PaymentStatus.SUCCESS);
  });

  test.each(['challenge', 'pending'] as const)(
    'a page that is loaded again and again does not put the timer off: %s',
    async (first) => {
      const { context, acquirer, clock, id } = await setUp();
      acquirer.state.first = first;
      await placePayment(context, id, newOrder(), card());
      const { document } = await parts.find(id);
      const look = () => getReturn(context, create(GetReturnRequestSchema, { id }));
      await Promise.all([look(), look()]);
      for (let visit = 0; visit < 12; visit++) {
        clock.setOffset(clock.offsetMs() + 2_000);
        await look();
        await look();
      }
      await report(context, id);
      expect((await parts.find(id)).document).toEqual(document);
      // One question for every 2 s of visits, and one for the report.
      if (first === 'pending') expect(acquirer.asked.slice(1)).toEqual(Array(13).fill('inquire'));
      await onPaymentDue(context, await parts.find(id));
      const { asked, version } = (await parts.find(id)).document;
      expect([asked?.tries, version]).toEqual([2, document.version + 1n]);
      await look();
      if (first === 'pending') expect(acquirer.asked).toHaveLength(15);
    },
  );

  test('a page that is loaded while the acquirer does not answer writes nothing either', async () => {
    const { context, acquirer, clock, id } = await setUp({}, { authorise: 'lost' });
    await placePayment(context, id, newOrder(), card());
    const { document } = await parts.find(id);
    acquirer.state.isSilent = true;
    clock.setOffset(clock.offsetMs() + 2_000);
    await getReturn(context, create(GetReturnRequestSchema, { id }));
    expect((await parts.find(id)).document).toEqual(document);
    expect(acquirer.asked).toEqual(['authorise', 'inquire']);
  });

  test('an issuer who takes customers by POST only: a form instead of an address', async () => {
    const { context, acquirer } = await setUp();
    Object.assign(acquirer.state, { first: 'challenge', fields: [{ name: 'creq', value: 'a"b' }] });
    const { payment } = await pay(context, payRequest());
    const shown = presentCardTransaction(payment ?? expect.fail('no payment'));
    expect(shown).toMatchObject({ status: 'pending', action: 'redirect', payment_url: null });
    expect(shown.html_form).toContain('<form method="post" action="https://acs.example/">');
    expect(shown.html_form).toContain('<input type="hidden" name="creq" value="a&quot;b">');
    const read = async () => {
      const { payment: later } = await getPayment(context, create(GetPaymentRequestSchema, own(shown.id)));
      return presentCardTransaction(create(PaymentSchema, later));
    };
    expect((await read()).html_form).toBe(shown.html_form);
    Object.assign(acquirer.held.get(shown.id) ?? {}, { status: 'authorised' });
    await report(context, shown.id);
    expect(await read()).toMatchObject({ status: 'success', action: null, html_form: null });
  });

  test('a customer who never finishes: the acquirer gives it up before it fails', async () => {
    const { context, acquirer, ledger, id, goTo } = await setUp();
    acquirer.state.first = 'challenge';
    await placePayment(context, id, newOrder(), card());
    const after = await goTo(DAY_MS);
    expect(after.state).toMatchObject({ status: 'failed', code: 'AUTHENTICATION_EXPIRED' });
    expect([acquirer.held.get(id)?.status, ledger.keys()]).toEqual(['voided', []]);
  });

  test('a report is a hint: what it is about is inquired', async () => {
    const { context, acquirer, id } = await setUp();
    acquirer.state.first = 'challenge';
    await placePayment(context, id, newOrder(), card());
    await report(context, id);
    expect((await parts.find(id)).state.status).toBe('challenging');
    Object.assign(acquirer.held.get(id) ?? {}, { status: 'declined' });
    await report(context, id);
    expect((await parts.find(id)).state.status).toBe('failed');
    expect(await refusalOf(report(context, newId()))).toBe('transaction_not_found');
  });
});

describe('a cancel', () => {
  test('before the capture moves nothing; the second one answers the first result', async () => {
    const { context, ledger, id, goTo } = await setUp();
    await placePayment(context, id, newOrder(), card());
    expect((await cancelOf(context, id)).payment).toMatchObject({ status: PaymentStatus.CANCELLED, cancelType: CancelType.VOID });
    expect((await cancelOf(context, id)).payment).toMatchObject({ cancelType: CancelType.VOID });
    const after = await goTo(DAY_MS);
    expect([after.state.status, ledger.keys()]).toEqual(['cancelled', []]);
  });

  test('twenty at once are one', async () => {
    const { context, acquirer, id, goTo } = await setUp();
    await placePayment(context, id, newOrder(), card());
    await goTo(DAY_MS);
    const all = await Promise.all(Array.from({ length: 20 }, () => cancelOf(context, id).catch((error: unknown) => error)));
    expect(all.some((one) => one !== null && typeof one === 'object' && 'payment' in one)).toBe(true);
    expect((await cancelOf(context, id)).payment?.cancelType).toBe(CancelType.REFUND);
    expect(acquirer.held.get(id)?.refunds.size).toBe(1);
  });

  test('of an unsettled payment takes the fee from available, and is SP003 where that is short, until it is not', async () => {
    const { context, ledger, acquirer, id, goTo } = await setUp({ fees: [FEE] });
    await placePayment(context, id, newOrder(), card());
    await goTo(31_000);
    expect(await refusalOf(cancelOf(context, id))).toBe('insufficient_balance');
    expect([ledger.balance, acquirer.held.get(id)?.refunds.size]).toEqual([{ pending: 245_000_00n, available: 0n }, 0]);
    ledger.balance.available = 5_000_00n;
    expect((await cancelOf(context, id)).payment?.cancelType).toBe(CancelType.REFUND);
    expect(ledger.balance).toEqual({ pending: 0n, available: 0n });
    expect((await goTo(DAY_MS)).state.status).toBe('refunded');
  });

  test('that the acquirer refuses leaves the payment as it was, and its money too', async () => {
    const { context, ledger, id, goTo } = await setUp({ fees: [FEE] }, { refund: 'refuses', void: 'refuses' });
    await placePayment(context, id, newOrder(), card());
    expect(await refusalOf(cancelOf(context, id))).toBe('transaction_failed');
    await goTo(31_000);
    ledger.balance.available = 9_000_00n;
    expect(await refusalOf(cancelOf(context, id))).toBe('transaction_failed');
    expect(ledger.balance).toEqual({ pending: 245_000_00n, available: 9_000_00n });
    await goTo(DAY_MS);
    expect(ledger.balance).toEqual({ pending: 0n, available: 254_000_00n });
  });

  test("of another merchant's or account's payment finds nothing", async () => {
    const { context, id } = await setUp();
    await placePayment(context, id, newOrder(), card());
    const other = create(CancelRequestSchema, { ...own(id), accountId: newId().slice(2) });
    expect(await refusalOf(cancel(context, other))).toBe('transaction_not_found');
    expect(await refusalOf(cancelOf(context, '99nonsense'))).toBe('transaction_not_found');
  });
});

describe('a contradiction of the acquirer', () => {
  test('failed here, authorised there: it is voided there, and the failure stands', async () => {
    const { context, acquirer, ledger, id, goTo } = await setUp({}, { authorise: 'refuses' });
    await placePayment(context, id, newOrder(), card());
    Object.assign(acquirer.held.get(id) ?? {}, { status: 'authorised' });
    await report(context, id);
    const after = await goTo(DAY_MS);
    expect([after.state.status, eventsOf(after)]).toEqual(['failed', ['failed']]);
    expect([acquirer.held.get(id)?.voids, ledger.keys()]).toEqual([1, []]);
  });

  test('ended there before its capture: it fails, and nothing was credited', async () => {
    const { context, acquirer, ledger, id, goTo } = await setUp();
    await placePayment(context, id, newOrder(), card());
    Object.assign(acquirer.held.get(id) ?? {}, { status: 'voided' });
    const after = await goTo(DAY_MS);
    expect([after.state.status, eventsOf(after), ledger.keys()]).toEqual(['failed', ['succeeded', 'failed'], []]);
  });

  test.each([
    ['before it settles', 31_000],
    ['after it has settled', DAY_MS],
  ])('taken back there %s: the ledger compensates', async (_when, ms) => {
    const { context, acquirer, ledger, id, goTo } = await setUp();
    await placePayment(context, id, newOrder(), card());
    await goTo(ms);
    Object.assign(acquirer.held.get(id) ?? {}, { status: 'refunded' });
    await report(context, id);
    const after = await goTo(DAY_MS);
    expect([after.state.status, eventsOf(after)]).toEqual(['withdrawn', ['succeeded', 'refunded']]);
    expect(ledger.balance).toEqual({ pending: 0n, available: 0n });
  });

  test('taken back there while the balance is short: an operator looks', async () => {
    const { context, acquirer, ledger, id, goTo } = await setUp();
    await placePayment(context, id, newOrder(), card());
    await goTo(DAY_MS);
    ledger.balance.available = 1n;
    Object.assign(acquirer.held.get(id) ?? {}, { status: 'refunded' });
    await report(context, id);
    const after = await parts.find(id);
    expect([after.state.status, after.document.unresolved_at]).toEqual(['contested', expect.any(Date)]);
    expect(await refusalOf(cancelOf(context, id))).toBe('transaction_failed');
  });
});

test.each([31_000, DAY_MS])(
  'a payment whose fee was all of it is withdrawn %i ms after its order, and its fee with it',
  async (ms) => {
    const fees = [create(FeeRuleSchema, { product: 'card', basisPoints: 10_000 })];
    const { acquirer, context, ledger, id, goTo } = await setUp({ fees });
    await placePayment(context, id, newOrder(), card());
    await goTo(ms);
    Object.assign(acquirer.held.get(id) ?? expect.fail('not held'), { status: 'refunded' });
    await report(context, id);
    const after = await parts.find(id);
    expect([after.state.status, eventsOf(after)]).toEqual(['withdrawn', ['succeeded', 'refunded']]);
    expect([ledger.keys(), ledger.balance]).toEqual([['credit', 'withdrawal'], { pending: 0n, available: 0n }]);
  },
);

test('an acquirer that keeps silent is asked on, and never sent the payment again', async () => {
  const { context, acquirer, clock, id, goTo } = await setUp({}, { authorise: 'lost' });
  acquirer.state.isSilent = true;
  await placePayment(context, id, newOrder(), card());
  for (let asks = 0; asks < 5; asks++) {
    clock.setOffset(clock.offsetMs() + 3_600_000);
    await onPaymentDue(context, await parts.find(id));
  }
  expect((await parts.find(id)).state.status).toBe('authorising');
  acquirer.state.isSilent = false;
  expect((await goTo(DAY_MS)).state.status).toBe('settled');
  expect(acquirer.cards.length).toBe(1);
});

test('an authorisation that comes after the payment was given up as never received is voided', async () => {
  const { promise: arrives, resolve: arrive } = Promise.withResolvers<void>();
  const acquirer = newAcquirer();
  const { authorise } = acquirer.rail;
  const late: typeof authorise = async (...given) => {
    await arrives;
    return authorise(...given);
  };
  const clock = createClock();
  const open = (rail = acquirer.rail) => parts.newContext({ ...acquirer, rail }, newLedger(), dying(undefined), { clock });
  const [sender, other] = [await open({ ...acquirer.rail, authorise: late }), await open()];
  const id = newId();
  const placing = placePayment({ ...sender, railTimeoutMs: 60_000 }, id, newOrder(), card());
  await expect.poll(async () => (await sender.payments.find(id))?.state.status).toBe('authorising');
  const given = await parts.fireTimers([other], clock, id, clock.now() + DAY_MS);
  expect(given.state).toMatchObject({ status: 'failed', code: 'NOT_RECEIVED' });
  arrive();
  await placing;
  const after = await parts.fireTimers([other], clock, id, clock.now() + DAY_MS);
  expect(after.state.status).toBe('failed');
  expect(acquirer.held.get(id)).toMatchObject({ status: 'voided', voids: 1 });
  expect(eventsOf(after)).toEqual(['failed']);
});
