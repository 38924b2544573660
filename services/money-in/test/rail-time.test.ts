import { RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { eventually } from '@gerbang/testkit';
import { beforeAll, expect, test } from 'vitest';
import { type FakeMerchant, type MoneyIn, newVirtualAccount, useMoneyIn, vaPayment } from './harness.ts';

const world = useMoneyIn();
let moneyIn: MoneyIn;

beforeAll(async () => {
  moneyIn = await world.start(world.newDatabase());
});

const DAY_MS = 86_400_000;
const FEES = [{ product: 'virtual-account', channel: '', fixedSen: 4_000_00n, basisPoints: 0 }];

/** What each kind of payment request is paid by, over IDR 50,000. */
const KINDS: Record<string, (merchant: FakeMerchant) => Promise<ReturnType<typeof vaPayment>>> = {
  'a virtual account': async (merchant) => {
    const { number } = await newVirtualAccount(moneyIn, merchant);
    return vaPayment(moneyIn.clock, number);
  },
  'a QRIS code': async ({ merchantId, accountId }) => {
    const { qrisTransaction } = await moneyIn.qris.generateQris({ merchantId, accountId, amountSen: 50_000_00n });
    const value = { partnerReference: qrisTransaction?.reffNo ?? '' };
    return vaPayment(moneyIn.clock, '', { moneyTaken: true, payable: { case: 'qris', value } });
  },
  'an e-wallet checkout': async ({ merchantId, accountId }) => {
    const asked = { merchantId, accountId, channel: 'DANA', amountSen: 50_000_00n };
    const { ewalletCheckout } = await moneyIn.ewallets.createEwalletCheckout(asked);
    const value = { partnerReference: ewalletCheckout?.transactionId ?? '' };
    return vaPayment(moneyIn.clock, '', { moneyTaken: true, payable: { case: 'ewallet', value } });
  },
};

const suspense = async (merchant: FakeMerchant) =>
  (await moneyIn.suspense.listSuspense({ limit: 1_000 })).items.filter((item) => item.merchantId === merchant.merchantId);
const balance = (merchant: FakeMerchant, side: string) => world.books.get(`${merchant.accountId}:${side}`) ?? 0n;

const UNBELIEVABLE: [string, () => number][] = [
  ['of 1970', () => 0],
  ['of more than a day before the request', () => moneyIn.clock.now() - DAY_MS - 60_000],
  ['of eleven minutes ahead', () => moneyIn.clock.now() + 660_000],
  ['of 2999', () => Date.parse('2999-01-01T00:00:00Z')],
];

for (const [kind, prepare] of Object.entries(KINDS)) {
  test.each(UNBELIEVABLE)(`a payment of ${kind} with a time %s waits in suspense`, async (_what, timeMs) => {
    const merchant = world.newMerchant();
    const payment = { ...(await prepare(merchant)), paidAtMs: BigInt(timeMs()) };
    for (let i = 0; i < 2; i++) expect((await moneyIn.rail.notifyPayment(payment)).decision).toBe(RailDecision.SUSPENDED);
    expect(await suspense(merchant)).toMatchObject([{ reason: 'unbelievable-time', amountSen: 50_000_00n }]);
    expect(balance(merchant, 'pending')).toBe(0n);
    expect(balance(merchant, 'available')).toBe(0n);
  });

  test.each([
    ['a little before the request', () => moneyIn.clock.now() - DAY_MS + 60_000],
    ['a little ahead', () => moneyIn.clock.now() + 60_000],
  ])(`a payment of ${kind} with a time %s is credited`, async (_what, timeMs) => {
    const merchant = world.newMerchant();
    const payment = { ...(await prepare(merchant)), paidAtMs: BigInt(timeMs()) };
    expect((await moneyIn.rail.notifyPayment(payment)).decision).toBe(RailDecision.ACCEPTED);
    expect(await suspense(merchant)).toEqual([]);
  });
}

test.each(['1970-01-01T00:00:00Z', '2999-01-01T00:00:00Z'])(
  'an operator credits money with a time of %s by when it came, and it settles',
  async (time) => {
    const merchant = world.newMerchant({ fees: FEES });
    const { number } = await newVirtualAccount(moneyIn, merchant);
    const receivedMs = moneyIn.clock.now();
    await moneyIn.rail.notifyPayment(vaPayment(moneyIn.clock, number, { paidAtMs: BigInt(Date.parse(time)) }));
    const [item] = await suspense(merchant);
    const { merchantId, accountId } = merchant;
    const credit = { operator: 'ana', id: item?.id ?? '', merchantId, accountId };
    const { figures } = await moneyIn.suspense.creditSuspense(credit);
    expect(figures).toMatchObject({ netSen: 46_000_00n, feeSen: 4_000_00n });
    expect(Number(figures?.paidAtMs) - receivedMs).toBeLessThan(60_000);
    expect(Number(figures?.paidAtMs)).toBeGreaterThanOrEqual(receivedMs);
    await eventually('settled', () => balance(merchant, 'available') === 46_000_00n);
  },
);
