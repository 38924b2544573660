import { createClock } from '@gerbang/core';
import { PayableStatus, ReversalDecision } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { RailDecision, ReversalKind } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { eventually } from '@gerbang/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { type FakeMerchant, type MoneyIn, refusalOf, useMoneyIn, vaPayment } from './harness.ts';

const { ACCEPTED, DUPLICATE, INCONSISTENT, SUSPENDED, UNKNOWN } = RailDecision;
const { CANCELED, FAILED, REFUNDED } = ReversalKind;
const AMOUNT = 25_000_00n;
const NET = 24_825_00n;

const world = useMoneyIn();
const clock = createClock();
let database: string;
let moneyIn: MoneyIn;

beforeAll(async () => {
  database = world.newDatabase();
  moneyIn = await world.start(database, clock);
});

const newMerchant = () => world.newMerchant({ fees: [{ product: 'qris', channel: '', fixedSen: 0n, basisPoints: 70 }] });
const balance = ({ accountId }: FakeMerchant, side: string) => world.books.get(`${accountId}:${side}`) ?? 0n;

type Code = { merchant: FakeMerchant; id: bigint; reffNo: string };

async function newCode(merchant = newMerchant()): Promise<Code> {
  const { merchantId, accountId } = merchant;
  const { qrisTransaction } = await moneyIn.qris.generateQris({ merchantId, accountId, amountSen: AMOUNT });
  const { id, reffNo } = qrisTransaction ?? expect.fail('no code');
  return { merchant, id, reffNo };
}

async function pay({ reffNo }: Code, over: object = {}): Promise<RailDecision> {
  const payable = { case: 'qris' as const, value: { partnerReference: reffNo } };
  const told = { partnerId: 'acquirer', railReference: `q-${reffNo}`, amountSen: AMOUNT, moneyTaken: true, payable };
  return (await moneyIn.rail.notifyPayment(vaPayment(clock, '', { ...told, ...over }))).decision;
}

async function reverse({ reffNo }: Pick<Code, 'reffNo'>, over: object = {}): Promise<RailDecision> {
  const named = { rail: 'qris', partnerId: 'acquirer', railReference: `q-${reffNo}`, partnerReference: reffNo };
  const told = { ...named, amountSen: AMOUNT, kind: REFUNDED, reportedAtMs: BigInt(clock.now()) };
  return (await moneyIn.rail.notifyReversed({ ...told, ...over })).decision;
}

async function settle({ merchant }: Code): Promise<void> {
  clock.setOffset(clock.offsetMs() + 6_000);
  await eventually('settled', async () => (await paymentOf(merchant))?.status === 'settled');
}

async function found(name: string, { accountId }: FakeMerchant) {
  const store = await world.openStore(database);
  return store.collection(name).findOne({ account_id: accountId });
}

const paymentOf = (merchant: FakeMerchant) => found('payments', merchant);

/** Status and events of the merchant's one request. */
async function standing(merchant: FakeMerchant) {
  const request = await found('payables', merchant);
  return [request?.status, (request?.tail ?? []).map(({ event }: { event: string }) => event)];
}

const queued = async ({ accountId }: FakeMerchant) =>
  (await moneyIn.reversals.listReversals({ limit: 1_000 })).items.find((item) => item.accountId === accountId);

const decideOn = (id: string, decision: ReversalDecision) => moneyIn.reversals.decideReversal({ id, decision });

describe('a QRIS payment that the acquirer reverses', () => {
  test.each([
    ['refunds', REFUNDED],
    ['cancels', CANCELED],
    ['calls failed', FAILED],
  ])('and %s before it settles is taken back from pending, once, and never settles', async (_what, kind) => {
    const code = await newCode();
    expect(await pay(code)).toBe(ACCEPTED);
    expect(balance(code.merchant, 'pending')).toBe(NET);
    expect(await reverse(code, { kind })).toBe(ACCEPTED);
    expect(await reverse(code, { kind })).toBe(DUPLICATE);
    expect(await pay(code)).toBe(DUPLICATE);
    clock.setOffset(clock.offsetMs() + 6_000);
    const { merchantId, accountId } = code.merchant;
    const { qrisTransaction } = await moneyIn.qris.getQris({ merchantId, accountId, id: code.id });
    expect(qrisTransaction?.status).toBe(PayableStatus.REVERSED);
    expect(await standing(code.merchant)).toEqual(['reversed', ['qris.paid', 'qris.reversed']]);
    expect([balance(code.merchant, 'pending'), balance(code.merchant, 'available')]).toEqual([0n, 0n]);
    expect(await paymentOf(code.merchant)).not.toHaveProperty('due_at');
  });

  test('days after it has settled is taken back from available', async () => {
    const code = await newCode();
    await pay(code);
    await settle(code);
    expect(balance(code.merchant, 'available')).toBe(NET);
    clock.setOffset(clock.offsetMs() + 5 * 86_400_000);
    expect(await reverse(code)).toBe(ACCEPTED);
    expect([balance(code.merchant, 'pending'), balance(code.merchant, 'available')]).toEqual([0n, 0n]);
    expect(await standing(code.merchant)).toEqual(['reversed', ['qris.paid', 'qris.reversed']]);
    expect(await queued(code.merchant)).toBeUndefined();
  });

  test('is found by its status in the list', async () => {
    const code = await newCode();
    await pay(code);
    await reverse(code);
    const { merchantId, accountId } = code.merchant;
    const query = { merchantId, accountId, limit: 10 };
    const listed = async (status: PayableStatus) => (await moneyIn.qris.listQris({ query, status })).qrisTransactions.length;
    expect([await listed(PayableStatus.REVERSED), await listed(PayableStatus.COMPLETED)]).toEqual([1, 0]);
  });

  test('under the reference of another code is not taken back', async () => {
    const [code, other] = [await newCode(), await newCode()];
    await pay(code);
    expect(await reverse(other, { railReference: `q-${code.reffNo}` })).toBe(INCONSISTENT);
    expect(await standing(code.merchant)).toEqual(['completed', ['qris.paid']]);
  });

  test('is named by the acquirer’s reference alone', async () => {
    const code = await newCode();
    await pay(code);
    expect(await reverse(code, { partnerReference: '', amountSen: 0n })).toBe(ACCEPTED);
    expect(await standing(code.merchant)).toEqual(['reversed', ['qris.paid', 'qris.reversed']]);
  });

  test.each([
    ['rail', { rail: 'va' }],
    ['rail_reference', { railReference: '' }],
    ['kind', { kind: ReversalKind.UNSPECIFIED }],
  ])('without a %s that is one is refused', async (field, over) => {
    expect(await refusalOf(reverse({ reffNo: '66' }, over))).toEqual(['validation', [field]]);
  });
});

describe('a reversal that can not be booked', () => {
  const spent = async () => {
    const code = await newCode();
    await pay(code);
    await settle(code);
    world.books.set(`${code.merchant.accountId}:available`, NET - 1n);
    expect(await reverse(code)).toBe(ACCEPTED);
    const item = await queued(code.merchant);
    expect(item).toMatchObject({ problem: 'short-balance', amountSen: AMOUNT, netSen: NET, rail: 'qris' });
    expect(await standing(code.merchant)).toEqual(['completed', ['qris.paid']]);
    return { code, id: item?.id ?? '' };
  };

  test('waits for an operator, who takes it from the account once there is enough', async () => {
    const { code, id } = await spent();
    expect((await refusalOf(decideOn(id, ReversalDecision.WITHDRAW)))[0]).toBe('insufficient_balance');
    expect(await queued(code.merchant)).toMatchObject({ id });
    world.books.set(`${code.merchant.accountId}:available`, NET + 5n);
    await decideOn(id, ReversalDecision.WITHDRAW);
    await decideOn(id, ReversalDecision.WITHDRAW);
    expect(balance(code.merchant, 'available')).toBe(5n);
    expect(await standing(code.merchant)).toEqual(['reversed', ['qris.paid', 'qris.reversed']]);
    expect(await queued(code.merchant)).toBeUndefined();
    expect((await refusalOf(decideOn(id, ReversalDecision.DISMISS)))[0]).toBe('bad_request');
  });

  test('is borne by suspense', async () => {
    const { code, id } = await spent();
    const before = world.books.get('p7/suspense:qris') ?? 0n;
    await decideOn(id, ReversalDecision.BEAR);
    expect(world.books.get('p7/suspense:qris')).toBe(before - AMOUNT);
    expect(balance(code.merchant, 'available')).toBe(NET - 1n);
    expect(await standing(code.merchant)).toEqual(['reversed', ['qris.paid', 'qris.reversed']]);
  });

  test('is dismissed: the payment stands, and settles where it had not', async () => {
    const code = await newCode();
    await pay(code);
    expect(await reverse(code, { amountSen: 1_000_00n })).toBe(ACCEPTED);
    const item = await queued(code.merchant);
    expect(item?.problem).toBe('other-amount');
    clock.setOffset(clock.offsetMs() + 6_000);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(balance(code.merchant, 'pending')).toBe(NET);
    await decideOn(item?.id ?? '', ReversalDecision.DISMISS);
    await eventually('settled', () => balance(code.merchant, 'available') === NET);
    expect(await standing(code.merchant)).toEqual(['completed', ['qris.paid']]);
  });

  test('is decided by somebody, of a payment that is there', async () => {
    expect(await refusalOf(decideOn('x', ReversalDecision.UNSPECIFIED))).toEqual(['validation', ['decision']]);
    expect((await refusalOf(decideOn('x', ReversalDecision.BEAR)))[0]).toBe('transaction_not_found');
  });
});

describe('reports that come in another order', () => {
  test('a refund before its payment: nothing is credited', async () => {
    const code = await newCode();
    expect(await reverse(code)).toBe(UNKNOWN);
    expect(await reverse(code)).toBe(UNKNOWN);
    expect(await pay(code)).toBe(DUPLICATE);
    expect(await standing(code.merchant)).toEqual(['active', []]);
    expect(balance(code.merchant, 'pending')).toBe(0n);
  });

  test('a failed attempt, and then a payment: it counts', async () => {
    const code = await newCode();
    expect(await reverse(code, { kind: FAILED, reportedAtMs: BigInt(clock.now() - 5_000) })).toBe(UNKNOWN);
    expect(await pay(code)).toBe(ACCEPTED);
    expect(await pay(code)).toBe(DUPLICATE);
    expect(balance(code.merchant, 'pending')).toBe(NET);
  });

  test('a payment, and then an earlier failed attempt: it still counts', async () => {
    const code = await newCode();
    await pay(code);
    expect(await reverse(code, { kind: FAILED, reportedAtMs: BigInt(clock.now() - 5_000) })).toBe(DUPLICATE);
    expect(await standing(code.merchant)).toEqual(['completed', ['qris.paid']]);
  });

  test('a failure, and then a payment from before it: suspense, until an operator decides', async () => {
    const code = await newCode(world.newMerchant({ partition: 'p-order' }));
    expect(await reverse(code, { kind: FAILED })).toBe(UNKNOWN);
    expect(await pay(code, { paidAtMs: BigInt(clock.now() - 5_000) })).toBe(SUSPENDED);
    expect(world.books.get('p-order/suspense:qris')).toBe(AMOUNT);
    const { items } = await moneyIn.suspense.listSuspense({ limit: 1_000 });
    expect(items.find(({ paidTo }) => paidTo === code.reffNo)).toMatchObject({ reason: 'withdrawn', amountSen: AMOUNT });
  });

  test('a report of an unknown payment changes nothing', async () => {
    expect(await reverse({ reffNo: `66${'0'.repeat(26)}` })).toBe(UNKNOWN);
  });
});

describe('money that was never the account’s', () => {
  test('leaves suspense for the rail', async () => {
    const code = await newCode(world.newMerchant({ partition: 'p-suspense' }));
    expect(await pay(code, { amountSen: AMOUNT - 1n })).toBe(SUSPENDED);
    expect(await reverse(code, { amountSen: AMOUNT - 1n })).toBe(ACCEPTED);
    expect(await reverse(code, { amountSen: AMOUNT - 1n })).toBe(DUPLICATE);
    expect(world.books.get('p-suspense/suspense:qris')).toBe(0n);
  });

  test('that an operator has credited is taken back from that account', async () => {
    const code = await newCode();
    await pay(code, { amountSen: AMOUNT - 1n });
    const target = newMerchant();
    const { merchantId, accountId } = target;
    await moneyIn.suspense.creditSuspense({ id: `qris:acquirer:q-${code.reffNo}`, merchantId, accountId });
    expect(balance(target, 'pending')).toBeGreaterThan(0n);
    expect(await reverse(code, { amountSen: AMOUNT - 1n })).toBe(ACCEPTED);
    expect(balance(target, 'pending')).toBe(0n);
    expect(await standing(code.merchant)).toEqual(['active', []]);
  });
});

describe('an e-wallet payment', () => {
  const newCheckout = async (merchant: FakeMerchant) => {
    const { merchantId, accountId } = merchant;
    const asked = { merchantId, accountId, channel: 'DANA', amountSen: AMOUNT };
    return (await moneyIn.ewallets.createEwalletCheckout(asked)).ewalletCheckout?.transactionId ?? expect.fail('no checkout');
  };
  const payBy = (reference: string, over: object = {}) =>
    pay(
      { merchant: newMerchant(), id: 0n, reffNo: reference },
      {
        partnerId: 'wallet',
        payable: { case: 'ewallet', value: { partnerReference: reference } },
        ...over,
      },
    );
  const fail = async (reference: string, failedAtMs = clock.now()) => {
    const named = { partnerId: 'wallet', partnerReference: reference, railReference: `q-${reference}`, reason: '' };
    return (await moneyIn.rail.notifyCheckoutFailed({ ...named, failedAtMs: BigInt(failedAtMs) })).decision;
  };

  test.each([
    ['refunds', (reference: string) => reverse({ reffNo: reference }, { rail: 'ewallet', partnerId: 'wallet' })],
    ['calls failed', (reference: string) => fail(reference)],
  ])('that the wallet %s shows as failed, and is told so again', async (_what, undo) => {
    const merchant = world.newMerchant();
    const reference = await newCheckout(merchant);
    expect(await payBy(reference)).toBe(ACCEPTED);
    expect(await undo(reference)).toBe(ACCEPTED);
    expect(await undo(reference)).toBe(DUPLICATE);
    expect(await standing(merchant)).toEqual(['failed', ['ewallet-checkout.paid', 'ewallet-checkout.reversed']]);
    expect(balance(merchant, 'pending')).toBe(0n);
  });

  test('that succeeds after the checkout has failed counts where it was made after that, and waits in suspense where not', async () => {
    const merchant = world.newMerchant();
    const [later, earlier] = [await newCheckout(merchant), await newCheckout(world.newMerchant())];
    expect(await fail(later, clock.now() - 5_000)).toBe(ACCEPTED);
    expect(await fail(later, clock.now() - 5_000)).toBe(DUPLICATE);
    expect(await payBy(later, { paidAtMs: BigInt(clock.now() - 4_000) })).toBe(ACCEPTED);
    expect(await standing(merchant)).toEqual(['completed', ['ewallet-checkout.failed', 'ewallet-checkout.paid']]);
    expect(await fail(earlier)).toBe(ACCEPTED);
    expect(await payBy(earlier, { paidAtMs: BigInt(clock.now() - 5_000) })).toBe(SUSPENDED);
  });

  test('of a payment link shows its session as failed; the link’s use stays used', async () => {
    const merchant = world.newMerchant();
    const { merchantId, accountId } = merchant;
    const asked = { merchantId, accountId, title: 'Kopi', amountSen: AMOUNT, maxUsage: 2 };
    const { paymentLink } = await moneyIn.links.createPaymentLink(asked);
    const opened = await moneyIn.checkout.openPaymentLink({ reffNo: paymentLink?.reffNo ?? '', ipAddress: '' });
    const session = opened.paymentLinkHistory ?? expect.fail('no session');
    await moneyIn.checkout.choosePaymentMethod({ reffNo: session.reffNo, paymentMethod: 'EWALLET_DANA' });
    const reference = `${session.reffNo}-DANA`;
    expect(await payBy(reference)).toBe(ACCEPTED);
    expect(await fail(reference)).toBe(ACCEPTED);
    const { paymentLinkHistory } = await moneyIn.checkout.getSession({ reffNo: session.reffNo });
    expect(paymentLinkHistory).toMatchObject({ status: PayableStatus.FAILED, declinedPaymentMethods: [] });
    const found = await moneyIn.links.getPaymentLink({ merchantId, accountId, id: paymentLink?.id ?? 0n });
    expect(found.paymentLink?.currentUsage).toBe(1);
    expect(balance(merchant, 'pending')).toBe(0n);
  });
});
