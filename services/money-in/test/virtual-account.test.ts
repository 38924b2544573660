import { newUlid } from '@gerbang/core';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { AmountType, PayableStatus, VirtualAccountKind } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { eventually } from '@gerbang/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { type MoneyIn, newVirtualAccount, refusalOf, useMoneyIn, vaPayment } from './harness.ts';

const world = useMoneyIn();
let database: string;
let moneyIn: MoneyIn;

beforeAll(async () => {
  database = world.newDatabase();
  moneyIn = await world.start(database);
});

const find = async (merchant: { merchantId: string; accountId: string }, id: string) => {
  const { merchantId, accountId } = merchant;
  const { virtualAccount } = await moneyIn.virtualAccounts.getVirtualAccount({ merchantId, accountId, id });
  return virtualAccount;
};
const available = (accountId: string) => world.books.get(`${accountId}:available`) ?? 0n;
const pending = (accountId: string) => world.books.get(`${accountId}:pending`) ?? 0n;

describe('a virtual account', () => {
  test('is paid once, credited net of its fee, and settles', async () => {
    const merchant = world.newMerchant({
      fees: [{ product: 'virtual-account', channel: 'BCA', fixedSen: 4_000_00n, basisPoints: 0, vendorFixedSen: 1_500_00n }],
    });
    const va = await newVirtualAccount(moneyIn, merchant);
    expect(va.number).toMatch(/^70014\d{11}$/);
    const payment = vaPayment(moneyIn.clock, va.number);
    expect(await moneyIn.rail.notifyPayment(payment)).toMatchObject({ decision: RailDecision.ACCEPTED });
    expect(await moneyIn.rail.notifyPayment(payment)).toMatchObject({ decision: RailDecision.DUPLICATE });
    expect(await find(merchant, va.id)).toMatchObject({ status: PayableStatus.COMPLETED, currentUsage: 1 });
    expect(pending(merchant.accountId)).toBe(46_000_00n);
    const { vaTransactions } = await moneyIn.virtualAccounts.listVaTransactions({ query: { ...merchant, limit: 10 } });
    expect(vaTransactions).toMatchObject([
      {
        virtualAccountId: va.id,
        figures: { amountSen: 50_000_00n, feeSen: 4_000_00n, vendorFeeSen: 1_500_00n, ourMarginSen: 2_500_00n },
      },
    ]);
    const credits = [...world.posted.values()].filter(
      (one) => one.accountId === merchant.accountId && one.intent === Intent.CREDIT,
    );
    expect(credits).toMatchObject([{ feeSen: 4_000_00n, vendorFeeSen: 1_500_00n }]);
    await eventually('settled', () => available(merchant.accountId) === 46_000_00n);
    const id = vaTransactions[0]?.id ?? '';
    await eventually('marked settled', async () => {
      const { vaTransaction } = await moneyIn.virtualAccounts.getVaTransaction({ ...merchant, id });
      return vaTransaction?.figures?.settledAtMs !== undefined;
    });
    expect(pending(merchant.accountId)).toBe(0n);
  });

  test('tells the merchant of a payment, in the write that pays it', async () => {
    const merchant = world.newMerchant();
    const va = await newVirtualAccount(moneyIn, merchant);
    await moneyIn.rail.notifyPayment(vaPayment(moneyIn.clock, va.number));
    const store = await world.openStore(database);
    const paid = await store.collection('payments').findOne({ account_id: merchant.accountId, product: 'virtual-account' });
    expect(paid).toMatchObject({ merchant_id: merchant.merchantId, tail: [{ event: 'va-transaction.paid' }] });
  });

  const mismatches: [string, object, RailDecision][] = [
    ['of another amount', { amountSen: 49_999_00n }, RailDecision.WRONG_AMOUNT],
    ['after its expiry', { paidAtMs: BigInt(Date.now() + 300_000) }, RailDecision.EXPIRED],
  ];
  test.each(mismatches)('refuses a payment %s, and stays as it is', async (_what, over, decision) => {
    const merchant = world.newMerchant();
    const va = await newVirtualAccount(moneyIn, merchant, { expiredAtMs: BigInt(moneyIn.clock.now() + 120_000) });
    const payment = vaPayment(moneyIn.clock, va.number, over);
    expect(await moneyIn.rail.notifyPayment(payment)).toMatchObject({ decision });
    expect(await moneyIn.rail.notifyPayment(payment)).toMatchObject({ decision });
    expect(await find(merchant, va.id)).toMatchObject({ status: PayableStatus.ACTIVE, currentUsage: 0 });
    expect(pending(merchant.accountId)).toBe(0n);
  });

  test('that has been paid takes no second payment; money already taken waits in suspense', async () => {
    const merchant = world.newMerchant({ partition: 'pa' });
    const va = await newVirtualAccount(moneyIn, merchant);
    await moneyIn.rail.notifyPayment(vaPayment(moneyIn.clock, va.number));
    const asked = await moneyIn.rail.notifyPayment(vaPayment(moneyIn.clock, va.number));
    expect(asked.decision).toBe(RailDecision.ALREADY_PAID);
    const taken = await moneyIn.rail.notifyPayment(vaPayment(moneyIn.clock, va.number, { moneyTaken: true }));
    expect(taken.decision).toBe(RailDecision.SUSPENDED);
    expect(world.books.get('pa/suspense:va')).toBe(50_000_00n);
  });

  test('a number that is nobody’s: refused, or in the suspense of nobody', async () => {
    const number = '7001400000000000';
    expect((await moneyIn.rail.notifyPayment(vaPayment(moneyIn.clock, number))).decision).toBe(RailDecision.UNKNOWN);
    const payment = vaPayment(moneyIn.clock, number, { moneyTaken: true });
    const before = world.books.get('p0/suspense:va') ?? 0n;
    for (let i = 0; i < 2; i++) expect((await moneyIn.rail.notifyPayment(payment)).decision).toBe(RailDecision.SUSPENDED);
    expect(world.books.get('p0/suspense:va')).toBe(before + 50_000_00n);
  });

  test('a rail that uses a reference again for another payment is told so', async () => {
    const va = await newVirtualAccount(moneyIn, world.newMerchant());
    const payment = vaPayment(moneyIn.clock, va.number);
    await moneyIn.rail.notifyPayment(payment);
    const other = { ...payment, amountSen: 60_000_00n };
    expect((await moneyIn.rail.notifyPayment(other)).decision).toBe(RailDecision.INCONSISTENT);
  });

  test('a permanent open one is paid within its bounds as often as anybody likes, until it is deleted', async () => {
    const merchant = world.newMerchant();
    const va = await newVirtualAccount(moneyIn, merchant, {
      kind: VirtualAccountKind.PERMANENT,
      amountType: AmountType.OPEN,
      minAmountSen: 10_000_00n,
      maxAmountSen: 90_000_00n,
    });
    const pay = async (amountSen: bigint) =>
      (await moneyIn.rail.notifyPayment(vaPayment(moneyIn.clock, va.number, { amountSen }))).decision;
    expect(await pay(10_000_00n)).toBe(RailDecision.ACCEPTED);
    expect(await pay(90_001_00n)).toBe(RailDecision.WRONG_AMOUNT);
    const updated = await moneyIn.virtualAccounts.updateVirtualAccount({
      ...merchant,
      id: va.id,
      maxAmountSen: 95_000_00n,
      name: 'Ani',
    });
    expect(updated.virtualAccount).toMatchObject({ name: 'Ani', maxAmountSen: 95_000_00n, minAmountSen: 10_000_00n });
    const deleted = await moneyIn.virtualAccounts.deleteVirtualAccount({ ...merchant, id: va.id });
    expect(deleted.virtualAccount).toMatchObject({ status: PayableStatus.INACTIVE, currentUsage: 1 });
    expect(await pay(20_000_00n)).toBe(RailDecision.INACTIVE);
    expect(await refusalOf(moneyIn.virtualAccounts.updateVirtualAccount({ ...merchant, id: va.id, name: 'x' }))).toEqual([
      'bad_request',
      [],
    ]);
    const inactive = await moneyIn.virtualAccounts.listVirtualAccounts({
      query: { ...merchant, limit: 5 },
      status: PayableStatus.INACTIVE,
    });
    expect(inactive.virtualAccounts.map(({ id }) => id)).toEqual([va.id]);
  });

  test('an inquiry shows the bill, and says why there is none', async () => {
    const va = await newVirtualAccount(moneyIn, world.newMerchant());
    const inquire = (over: object = {}) =>
      moneyIn.rail.inquireVirtualAccount({ partnerId: 'bank', number: va.number, inquiredAtMs: 1n, ...over });
    expect(await inquire()).toMatchObject({
      decision: RailDecision.ACCEPTED,
      bill: { name: 'Budi', amountSen: 50_000_00n, merchantName: 'Toko' },
    });
    expect(await inquire({ bankCodes: ['BRI'] })).toMatchObject({ decision: RailDecision.UNKNOWN });
    await moneyIn.rail.notifyPayment(vaPayment(moneyIn.clock, va.number));
    expect(await inquire()).toMatchObject({ decision: RailDecision.ALREADY_PAID });
  });

  test('is created once for an Idempotency-Key', async () => {
    const merchant = world.newMerchant();
    const idempotencyKey = { key: 'k', route: `POST /virtual-accounts/${merchant.accountId}`, bodyHash: 'h' };
    const [a, b] = [
      await newVirtualAccount(moneyIn, merchant, { idempotencyKey }),
      await newVirtualAccount(moneyIn, merchant, { idempotencyKey }),
    ];
    expect(b).toEqual(a);
  });

  test.each([
    ['below the bounds', { amountSen: 9_999_00n }, ['amount']],
    ['beyond them', { amountSen: 50_000_001_00n }, ['amount']],
    ['expired already', { expiredAtMs: 1_600_000_000_000n }, ['expired_at']],
    ['of an unknown bank', { bankCode: 'JENIUS' }, ['bank_code']],
    ['of another’s account', { accountId: newUlid(1) }, []],
  ] as [string, object, string[]][])('%s is refused', async (_what, over, fields) => {
    const [, named] = await refusalOf(newVirtualAccount(moneyIn, world.newMerchant(), over));
    expect(named).toEqual(fields);
  });
});
