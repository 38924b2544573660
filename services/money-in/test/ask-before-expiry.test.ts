import { createClock } from '@gerbang/core';
import { PayableStatus, TipIndicator } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { QrisInquiry } from '@gerbang/rails';
import { eventually } from '@gerbang/testkit';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type FakeMerchant, type MoneyIn, useMoneyIn } from './harness.ts';

const LIFE_MS = 600_000;
const UNKNOWN: QrisInquiry = { outcome: 'unknown', reason: 'no answer in time' };

const world = useMoneyIn();
const clock = createClock();
let database: string;
let moneyIn: MoneyIn;
/** How often each reference was asked for. */
const asked = new Map<string, number>();

beforeAll(async () => {
  database = world.newDatabase();
  moneyIn = await world.start(database, clock);
});
beforeEach(() => answerWith(async () => undefined));

function answerWith(answer: (reference: string) => Promise<QrisInquiry | undefined>): void {
  world.scripted.ask = async (reference) => {
    asked.set(reference, (asked.get(reference) ?? 0) + 1);
    return answer(reference);
  };
}

function pass(ms: number): void {
  clock.setOffset(clock.offsetMs() + ms);
}

async function newCode({ merchantId, accountId }: FakeMerchant, over: { tipIndicator?: TipIndicator } = {}) {
  const expiredAtMs = BigInt(clock.now() + LIFE_MS);
  const { qrisTransaction } = await moneyIn.qris.generateQris({
    merchantId,
    accountId,
    amountSen: 25_000_00n,
    expiredAtMs,
    ...over,
  });
  return qrisTransaction ?? expect.fail('no code');
}

async function newCheckout({ merchantId, accountId }: FakeMerchant) {
  const expiredAtMs = BigInt(clock.now() + LIFE_MS);
  const asking = { merchantId, accountId, channel: 'DANA', amountSen: 25_000_00n, expiredAtMs };
  const { ewalletCheckout } = await moneyIn.ewallets.createEwalletCheckout(asking);
  return ewalletCheckout ?? expect.fail('no checkout');
}

/** Status and events of the one payable of a merchant. */
async function standing({ accountId }: FakeMerchant) {
  const store = await world.openStore(database);
  const found = await store.collection('payables').findOne({ account_id: accountId });
  return { status: found?.status, events: (found?.tail ?? []).map(({ event }: { event: string }) => event) };
}

const pending = ({ accountId }: FakeMerchant) => world.books.get(`${accountId}:pending`) ?? 0n;

test.each([
  ['a QRIS code', 'qris', async (merchant: FakeMerchant) => (await newCode(merchant)).reffNo],
  ['an e-wallet checkout', 'ewallet', async (merchant: FakeMerchant) => (await newCheckout(merchant)).transactionId],
] as const)('%s that was paid in time, but never reported, is credited once', async (_what, rail, make) => {
  const merchant = world.newMerchant();
  const reference = await make(merchant);
  const paidAtMs = clock.now() + 1_000;
  answerWith(async () => ({ outcome: 'paid', railReference: `r-${reference}`, amountSen: 25_000_00n, paidAtMs }));
  pass(LIFE_MS);
  await eventually('paid', async () => (await standing(merchant)).status === 'completed');
  const told = {
    partnerId: rail === 'qris' ? 'acquirer' : 'wallet',
    railReference: `r-${reference}`,
    paidAtMs: BigInt(paidAtMs),
    amountSen: 25_000_00n,
    moneyTaken: true,
    payable: { case: rail, value: { partnerReference: reference } },
  };
  expect((await moneyIn.rail.notifyPayment(told)).decision).toBe(RailDecision.DUPLICATE);
  expect(pending(merchant) + (world.books.get(`${merchant.accountId}:available`) ?? 0n)).toBe(25_000_00n);
  const kind = rail === 'qris' ? 'qris' : 'ewallet-checkout';
  expect(await standing(merchant)).toEqual({ status: 'completed', events: [`${kind}.paid`] });
  expect(asked.get(reference)).toBe(1);
});

test('what is above the amount is the tip, where the code takes one', async () => {
  const merchant = world.newMerchant();
  const { id } = await newCode(merchant, { tipIndicator: TipIndicator.INPUT });
  const paidAtMs = clock.now();
  answerWith(async (reference) => ({ outcome: 'paid', railReference: `r-${reference}`, amountSen: 30_000_00n, paidAtMs }));
  pass(LIFE_MS);
  const { merchantId, accountId } = merchant;
  await eventually('paid', async () => {
    const { qrisTransaction } = await moneyIn.qris.getQris({ merchantId, accountId, id });
    return qrisTransaction?.status === PayableStatus.COMPLETED && qrisTransaction.tipSen === 5_000_00n;
  });
});

test('what was paid after the expiry goes to suspense, and the code expires', async () => {
  const merchant = world.newMerchant({ partition: 'p-late' });
  await newCode(merchant);
  const paidAtMs = clock.now() + LIFE_MS + 5;
  answerWith(async (reference) => ({ outcome: 'paid', railReference: `r-${reference}`, amountSen: 25_000_00n, paidAtMs }));
  pass(LIFE_MS);
  await eventually('expired', async () => (await standing(merchant)).status === 'expired');
  expect([world.books.get('p-late/suspense:qris'), pending(merchant)]).toEqual([25_000_00n, 0n]);
  expect((await standing(merchant)).events).toEqual(['qris.expired']);
});

test('a rail that does not say is asked again; the code expires when it says that it was not paid', async () => {
  const merchant = world.newMerchant();
  const { reffNo } = await newCode(merchant);
  answerWith(async () => UNKNOWN);
  pass(LIFE_MS);
  await eventually('asked twice', () => (asked.get(reffNo) ?? 0) >= 2);
  expect((await standing(merchant)).status).toBe('active');
  answerWith(async () => undefined);
  pass(60_000);
  await eventually('expired', async () => (await standing(merchant)).status === 'expired');
  expect((await standing(merchant)).events).toEqual(['qris.expired']);
});

test('a rail that never says is asked so often and no more', async () => {
  const merchant = world.newMerchant();
  const { reffNo } = await newCode(merchant);
  answerWith(async () => UNKNOWN);
  pass(LIFE_MS);
  for (let times = 1; times <= 10; times++) {
    await eventually(`asked ${times} times`, () => (asked.get(reffNo) ?? 0) >= times);
    pass(60_000);
  }
  await eventually('expired', async () => (await standing(merchant)).status === 'expired');
  expect(asked.get(reffNo)).toBe(10);
});

test('one that says that it is still open is asked once more', async () => {
  const merchant = world.newMerchant();
  const { transactionId } = await newCheckout(merchant);
  answerWith(async () => ({ outcome: 'pending' }));
  pass(LIFE_MS);
  await eventually('expired', async () => (await standing(merchant)).status === 'expired');
  expect(asked.get(transactionId)).toBe(2);
});
