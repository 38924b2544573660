import { createClock } from '@gerbang/core';
import { PayableStatus, VirtualAccountKind } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { eventually } from '@gerbang/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { type MoneyIn, newVirtualAccount, refusalOf, useMoneyIn, vaPayment } from './harness.ts';

const world = useMoneyIn();
const clock = createClock();
let database: string;
let one: MoneyIn;
let other: MoneyIn;

beforeAll(async () => {
  database = world.newDatabase();
  [one, other] = [await world.start(database, clock), await world.start(database, clock)];
});

describe('two replicas at once', () => {
  test('count a payment once that is reported to both', async () => {
    const merchant = world.newMerchant();
    const va = await newVirtualAccount(one, merchant);
    const payment = vaPayment(clock, va.number);
    const told = await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? one : other).rail.notifyPayment(payment)));
    expect(told.filter(({ decision }) => decision === RailDecision.ACCEPTED)).toHaveLength(1);
    expect(told.filter(({ decision }) => decision === RailDecision.DUPLICATE)).toHaveLength(9);
    const { virtualAccount } = await other.virtualAccounts.getVirtualAccount({ ...merchant, id: va.id });
    expect(virtualAccount).toMatchObject({ currentUsage: 1, status: PayableStatus.COMPLETED });
  });

  test('let no more payments in than there are uses', async () => {
    const merchant = world.newMerchant();
    const va = await newVirtualAccount(one, merchant, { maxUsage: 3 });
    const told = await Promise.all(
      // They all want to write the same document, and take turns; on a busy machine that takes its time.
      Array.from({ length: 12 }, (_, i) =>
        (i % 2 === 0 ? one : other).rail.notifyPayment(vaPayment(clock, va.number), { timeoutMs: 20_000 }),
      ),
    );
    expect(told.filter(({ decision }) => decision === RailDecision.ACCEPTED)).toHaveLength(3);
    const { virtualAccount } = await one.virtualAccounts.getVirtualAccount({ ...merchant, id: va.id });
    expect(virtualAccount).toMatchObject({ currentUsage: 3, status: PayableStatus.COMPLETED });
    const credited = ['pending', 'available'].map((side) => world.books.get(`${merchant.accountId}:${side}`) ?? 0n);
    expect(credited.reduce((sum, sen) => sum + sen)).toBe(150_000_00n);
  });

  test('expire each item once, when the clock is advanced', async () => {
    const merchant = world.newMerchant();
    const made = await Promise.all(
      // More than one replica claims in one go, so that both have something to do.
      Array.from({ length: 450 }, () => newVirtualAccount(one, merchant, { expiredAtMs: BigInt(clock.now() + 3_600_000) })),
    );
    clock.setOffset(clock.offsetMs() + 3_700_000);
    const store = await world.openStore(database);
    const find = () => store.collection('payables').find({ account_id: merchant.accountId, kind: 'virtual-account' }).toArray();
    await eventually('all have expired', async () => (await find()).every(({ status }) => status === 'expired'));
    const events = (await find()).map(({ tail }) => tail.length);
    expect(events).toEqual(made.map(() => 1));
  });

  test('settle each payment once', async () => {
    const merchant = world.newMerchant();
    const made = await Promise.all(
      Array.from({ length: 50 }, () => newVirtualAccount(one, merchant, { kind: VirtualAccountKind.PERMANENT })),
    );
    for (let i = 0; i < 5; i++)
      await Promise.all(made.map(({ number }) => (i % 2 === 0 ? one : other).rail.notifyPayment(vaPayment(clock, number))));
    clock.setOffset(clock.offsetMs() + 10_000);
    await eventually('settled', () => world.books.get(`${merchant.accountId}:pending`) === 0n, 20_000);
    expect(world.books.get(`${merchant.accountId}:available`)).toBe(250n * 50_000_00n);
    const store = await world.openStore(database);
    const left = { account_id: merchant.accountId, $or: [{ status: { $ne: 'settled' } }, { due_at: { $exists: true } }] };
    await eventually('all are marked', async () => (await store.collection('payments').countDocuments(left)) === 0);
  });
});

describe('money in suspense', () => {
  const suspend = async (merchant = world.newMerchant()) => {
    const va = await newVirtualAccount(one, merchant);
    const payment = vaPayment(clock, va.number, { moneyTaken: true, amountSen: 49_000_00n });
    expect((await one.rail.notifyPayment(payment)).decision).toBe(RailDecision.SUSPENDED);
    return { merchant, va, id: `va:bank:${payment.railReference}` };
  };
  const listed = async (id: string) => (await one.suspense.listSuspense({ limit: 1_000 })).items.find((item) => item.id === id);

  test('is listed with its reason', async () => {
    const { merchant, va, id } = await suspend();
    expect(await listed(id)).toMatchObject({
      reason: 'wrong-amount',
      paidTo: va.number,
      merchantId: merchant.merchantId,
      amountSen: 49_000_00n,
    });
  });

  test.each([
    ['of its own partition', 'p7'],
    ['of another partition', 'p9'],
  ])('is credited once to an account %s, less the fee, and settles', async (_what, partition) => {
    const { id } = await suspend(world.newMerchant({ partition: 'p7' }));
    const fees = [{ product: 'virtual-account', channel: '', fixedSen: 4_000_00n, basisPoints: 0 }];
    const target = world.newMerchant({ partition, fees });
    const before = world.books.get('p7/suspense:va') ?? 0n;
    const ask = () => one.suspense.creditSuspense({ id, merchantId: target.merchantId, accountId: target.accountId });
    for (const { figures } of [await ask(), await ask()])
      expect(figures).toMatchObject({ netSen: 45_000_00n, feeSen: 4_000_00n });
    expect(world.books.get('p7/suspense:va')).toBe(before - 49_000_00n);
    expect(await listed(id)).toBeUndefined();
    clock.setOffset(clock.offsetMs() + 10_000);
    await eventually('settled', () => world.books.get(`${target.accountId}:available`) === 45_000_00n);
    expect((await refusalOf(one.suspense.refundSuspense({ id })))[0]).toBe('bad_request');
  });

  test('is refunded once, and then not credited', async () => {
    const { merchant, id } = await suspend(world.newMerchant({ partition: 'p5' }));
    for (let i = 0; i < 2; i++) await other.suspense.refundSuspense({ id });
    expect(world.books.get('p5/suspense:va')).toBe(0n);
    const { merchantId, accountId } = merchant;
    expect((await refusalOf(one.suspense.creditSuspense({ id, merchantId, accountId })))[0]).toBe('bad_request');
  });
});
