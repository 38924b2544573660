import { createClock } from '@gerbang/core';
import { CardOutcome } from '@gerbang/proto/gerbang/money_in/v1/link_card';
import { PayableStatus } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { eventually } from '@gerbang/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { type FakeMerchant, type MoneyIn, refusalOf, useMoneyIn, vaPayment } from './harness.ts';

const world = useMoneyIn();
let moneyIn: MoneyIn;

beforeAll(async () => {
  moneyIn = await world.start(world.newDatabase(), createClock());
}, 30_000);

const newMerchant = () => world.newMerchant({ products: ['payment-link', 'virtual-account', 'card'] });
type NewLink = { maxUsage?: number; paymentMethods?: string[] };

async function create({ merchantId, accountId }: FakeMerchant, over: NewLink = {}) {
  const asked = { merchantId, accountId, title: 'Kopi', amountSen: 30_000_00n, ...over };
  return (await moneyIn.links.createPaymentLink(asked)).paymentLink ?? expect.fail('no link');
}

async function open(reffNo: string, method = 'CARD') {
  const { paymentLinkHistory } = await moneyIn.checkout.openPaymentLink({ reffNo, ipAddress: '10.0.0.1' });
  const opened = paymentLinkHistory?.reffNo ?? expect.fail('no session');
  if (method !== '') await moneyIn.checkout.choosePaymentMethod({ reffNo: opened, paymentMethod: method });
  return opened;
}

let nextId = 1;
const newId = () => `99${String(nextId++).padStart(26, '0')}`;
const begin = (reffNo: string, attempt: number, paymentId = newId()) =>
  moneyIn.linkCards.beginCardPayment({ reffNo, attempt, paymentId });
const report = async (
  reffNo: string,
  paymentId: string,
  outcome: CardOutcome,
  over: { paidAtMs?: number; amountSen?: bigint } = {},
) => {
  const { paidAtMs = moneyIn.clock.now(), amountSen = 30_000_00n } = over;
  const fees = { feeSen: 900_00n, netSen: 29_100_00n, vendorFeeSen: 600_00n, basisPoints: 300 };
  const told = {
    reffNo,
    paymentId,
    outcome,
    amountSen,
    ...fees,
    paidAtMs: BigInt(paidAtMs),
    settleAtMs: BigInt(paidAtMs + 35_000),
  };
  return (await moneyIn.linkCards.reportCardPayment(told)).accepted;
};
const session = async (reffNo: string) =>
  (await moneyIn.checkout.getSession({ reffNo })).paymentLinkHistory ?? expect.fail('no session');
const link = async (merchant: FakeMerchant, id: bigint) =>
  (await moneyIn.links.getPaymentLink({ ...merchant, id })).paymentLink ?? expect.fail('no link');
const wait = (ms: number) => moneyIn.clock.setOffset(moneyIn.clock.offsetMs() + ms);

test('cards are offered to merchants who have the product', async () => {
  const [has, lacks] = [newMerchant(), world.newMerchant()];
  const codesOf = async ({ merchantId }: FakeMerchant) => (await moneyIn.links.listPayableMethods({ merchantId })).codes;
  expect(await codesOf(has)).toContain('CARD');
  expect(await codesOf(lacks)).not.toContain('CARD');
  expect((await create(has)).paymentMethods).toContain('CARD');
  expect((await create(lacks)).paymentMethods).not.toContain('CARD');
  expect((await create(has, { paymentMethods: ['CARD'] })).paymentMethods).toEqual(['CARD']);
});

describe('a session', () => {
  test('has one open try at a time, and the next one after a decline', async () => {
    const { reffNo } = await create(newMerchant());
    const opened = await open(reffNo);
    const [first, second] = [newId(), newId()];
    expect(await refusalOf(begin(opened, 2))).toEqual(['validation', ['attempt']]);
    const begun = await Promise.all([begin(opened, 1, first), begin(opened, 1, second)]);
    expect(new Set(begun.map(({ paymentId }) => paymentId)).size).toBe(1);
    expect(begun.every(({ mayCharge, amountSen }) => mayCharge && amountSen === 30_000_00n)).toBe(true);
    const id = begun[0]?.paymentId ?? '';
    expect(await begin(opened, 2)).toMatchObject({ paymentId: id, mayCharge: false });
    expect((await session(opened)).cardAttempt).toMatchObject({ attempt: 1, isOpen: true });
    await report(opened, id, CardOutcome.FAILED);
    expect((await session(opened)).cardAttempt).toMatchObject({ attempt: 1, isOpen: false });
    expect(await begin(opened, 1)).toMatchObject({ paymentId: id, mayCharge: false });
    expect((await begin(opened, 2)).mayCharge).toBe(true);
  });

  test('offers its other methods after five declines', async () => {
    const { reffNo } = await create(newMerchant());
    const opened = await open(reffNo);
    for (let attempt = 1; attempt <= 5; attempt++)
      await report(opened, (await begin(opened, attempt)).paymentId, CardOutcome.FAILED);
    expect((await session(opened)).declinedPaymentMethods).toEqual(['CARD']);
    expect((await refusalOf(begin(opened, 6)))[0]).toBe('bad_request');
    await moneyIn.checkout.choosePaymentMethod({ reffNo: opened, paymentMethod: 'VA_BCA' });
  });

  test('takes no card whose customer has not chosen that, or when it is over', async () => {
    const { reffNo } = await create(newMerchant());
    const opened = await open(reffNo, 'VA_BCA');
    expect((await refusalOf(begin(opened, 1)))[0]).toBe('bad_request');
    const late = await open(reffNo);
    wait(901_000);
    expect((await refusalOf(begin(late, 1)))[0]).toBe('bad_request');
  });

  test('counts a success once, shows its figures, and when it has settled', async () => {
    const merchant = newMerchant();
    const { id, reffNo } = await create(merchant, { maxUsage: 1 });
    const opened = await open(reffNo);
    const { paymentId } = await begin(opened, 1);
    const accepted = await Promise.all([1, 2, 3].map(() => report(opened, paymentId, CardOutcome.PAID)));
    expect(accepted).toEqual([true, true, true]);
    expect(await session(opened)).toMatchObject({
      status: PayableStatus.COMPLETED,
      paymentMethod: 'CARD',
      paymentMethodValue: paymentId,
      figures: { netSen: 29_100_00n, ourMarginSen: 300_00n },
    });
    expect(await link(merchant, id)).toMatchObject({ currentUsage: 1, status: PayableStatus.COMPLETED });
    await report(opened, paymentId, CardOutcome.SETTLED);
    expect((await session(opened)).figures?.settledAtMs).toBeGreaterThan(0n);
    // Its money is the cards service's.
    expect([...world.posted.values()].filter(({ accountId }) => accountId === merchant.accountId)).toEqual([]);
  });

  test('that was paid by another method meanwhile takes no card, nor the other way round', async () => {
    const merchant = newMerchant();
    const { id, reffNo } = await create(merchant, { paymentMethods: ['CARD', 'VA_BCA'] });
    const pay = async (opened: string) => {
      const { paymentLinkHistory } = await moneyIn.checkout.choosePaymentMethod({ reffNo: opened, paymentMethod: 'VA_BCA' });
      const number = paymentLinkHistory?.paymentMethodValue ?? '';
      const payment = vaPayment(moneyIn.clock, number, { amountSen: 30_000_00n });
      return async () => (await moneyIn.rail.notifyPayment(payment)).decision;
    };
    const first = await open(reffNo);
    const { paymentId } = await begin(first, 1);
    expect(await (await pay(first))()).toBe(RailDecision.ACCEPTED);
    expect(await report(first, paymentId, CardOutcome.PAID)).toBe(false);
    const second = await open(reffNo);
    const other = await begin(second, 1);
    const byNumber = await pay(second);
    expect(await report(second, other.paymentId, CardOutcome.PAID)).toBe(true);
    expect(await byNumber()).toBe(RailDecision.ALREADY_PAID);
    expect((await session(second)).paymentMethod).toBe('CARD');
    expect((await link(merchant, id)).currentUsage).toBe(2);
  });

  test('that has ended counts what was authorised before, and nothing later', async () => {
    const merchant = newMerchant();
    const { id, reffNo } = await create(merchant);
    const [early, late] = [await open(reffNo), await open(reffNo)];
    const [inTime, tooLate] = [await begin(early, 1), await begin(late, 1)];
    const paidAtMs = moneyIn.clock.now();
    wait(901_000);
    await eventually('both have ended', async () => (await session(late)).status === PayableStatus.EXPIRED);
    await eventually('both have ended', async () => (await session(early)).status === PayableStatus.EXPIRED);
    expect(await report(late, tooLate.paymentId, CardOutcome.PAID)).toBe(false);
    expect(await report(early, inTime.paymentId, CardOutcome.PAID, { paidAtMs })).toBe(true);
    expect((await session(early)).status).toBe(PayableStatus.COMPLETED);
    expect((await link(merchant, id)).currentUsage).toBe(1);
  });

  test('whose use of the link others have taken since is not paid twice', async () => {
    const merchant = newMerchant();
    const { id, reffNo } = await create(merchant, { maxUsage: 1 });
    const first = await open(reffNo);
    const { paymentId } = await begin(first, 1);
    const paidAtMs = moneyIn.clock.now();
    wait(901_000);
    let second = '';
    await eventually('the use is free again', async () => {
      second = await open(reffNo).catch(() => '');
      return second !== '';
    });
    expect(await report(second, (await begin(second, 1)).paymentId, CardOutcome.PAID)).toBe(true);
    expect(await report(first, paymentId, CardOutcome.PAID, { paidAtMs })).toBe(false);
    expect((await link(merchant, id)).currentUsage).toBe(1);
  });

  test('takes no other amount than its own', async () => {
    const { reffNo } = await create(newMerchant());
    const opened = await open(reffNo);
    const { paymentId } = await begin(opened, 1);
    expect(await report(opened, paymentId, CardOutcome.PAID, { amountSen: 29_999_00n })).toBe(false);
  });

  test('keeps its price where the link has another one since', async () => {
    const merchant = newMerchant();
    const { id, reffNo } = await create(merchant);
    const opened = await open(reffNo);
    const { paymentId } = await begin(opened, 1);
    await moneyIn.links.updatePaymentLink({ ...merchant, id, amountSen: 50_000_00n });
    expect(await report(opened, paymentId, CardOutcome.PAID)).toBe(true);
    expect(await link(merchant, id)).toMatchObject({ currentUsage: 1 });
  });

  test('shows what was given back as failed', async () => {
    const merchant = newMerchant();
    const { id, reffNo } = await create(merchant);
    const opened = await open(reffNo);
    const { paymentId } = await begin(opened, 1);
    await report(opened, paymentId, CardOutcome.PAID);
    for (let again = 0; again < 2; again++) await report(opened, paymentId, CardOutcome.FAILED);
    expect((await session(opened)).status).toBe(PayableStatus.FAILED);
    expect((await link(merchant, id)).currentUsage).toBe(1);
  });
});
