import { createClock, RefusalError } from '@gerbang/core';
import { ReportedOutcome, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { describe, expect, test } from 'vitest';
import { partnerReferenceOf } from '../src/transfer/rail-reference.ts';
import { type FakeMerchant, refusalOf, useMoneyOut } from './harness.ts';

const world = useMoneyOut();
const AMOUNT_SEN = 1_000n;

/** Services on one database whose bank is away, and a merchant with a quota. */
async function aMerchant(quota: Omit<FakeMerchant['limits'][number], 'product'>, services = 1) {
  const clock = createClock();
  // The first day of a month in Jakarta, an hour after midnight.
  clock.setOffset(Date.parse('2027-03-31T18:00:00Z') - Date.now());
  const database = world.newDatabase();
  const first = await world.start(database, clock);
  const started = [first];
  while (started.length < services) started.push(await world.start(database, clock));
  const limits = ['disbursement', 'account-transfer'].map((product) => ({ product, ...quota }));
  const { merchantId, source: accountId, destination } = world.newMerchant({ limits }, 1_000_000n);
  const base = { merchantId, accountId, bankCode: '014', bankAccountNumber: '1234567890', amountSen: AMOUNT_SEN };
  const order = async (referenceNumber: string, over: object = {}, service = 0) =>
    (await started[service]?.disbursements.transfer({ ...base, referenceNumber, ...over }))?.transfer;
  /** A call that a slow machine has cut off is made again, as merchants do: the reference makes it the same order. */
  const isIn = async (referenceNumber: string, over: object = {}, service = 0): Promise<boolean> => {
    try {
      await order(referenceNumber, over, service);
      return true;
    } catch (error) {
      const refused = error instanceof RefusalError ? error.refusal.refused : undefined;
      if (refused === 'timeout') return isIn(referenceNumber, over, service);
      if (refused === 'account_limit') return false;
      throw error;
    }
  };
  const report = (referenceNumber: string, outcome: ReportedOutcome) =>
    first.reports.reportTransfer({
      rail: 'bank-transfer',
      transactionId: partnerReferenceOf(accountId, referenceNumber),
      outcome,
      railReference: 'r',
    });
  return { ...first, clock, database, merchantId, accountId, destination, order, isIn, report };
}

describe('a quota', () => {
  test('is not overrun by 200 concurrent orders over two processes, and is used up', async () => {
    const { isIn, accountId, database } = await aMerchant({ dailyMaximumSen: 50n * AMOUNT_SEN + 999n }, 2);
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => isIn(`ref-${i}`, {}, i % 2)));
    expect(answers.filter(Boolean)).toHaveLength(50);
    expect(world.available.get(accountId)).toBe(1_000_000n - 50n * AMOUNT_SEN);
    const store = await world.openTransfers(database);
    expect(await store.collection('transfers').countDocuments()).toBe(50);
    expect(await store.collection('spendings').findOne({})).toMatchObject({ days: { 20270401: 50n * AMOUNT_SEN } });
  }, 60_000);

  test('counts an order once, however often and however concurrently it comes', async () => {
    const { order, isIn } = await aMerchant({ dailyMaximumSen: 2n * AMOUNT_SEN }, 2);
    const same = await Promise.all(Array.from({ length: 40 }, (_, i) => order('ref-1', {}, i % 2)));
    expect(new Set(same.map((one) => one?.transactionId)).size).toBe(1);
    expect(await isIn('ref-2')).toBe(true);
    expect(await isIn('ref-3')).toBe(false);
    // What exists is answered, and other content under its reference is refused as such, also when nothing is left.
    expect((await order('ref-1'))?.transactionId).toBe(same[0]?.transactionId);
    expect(await refusalOf(order('ref-1', { amountSen: 5n }))).toEqual(['duplicate_reference', []]);
  }, 30_000);

  test('leaves the reference of a refused order free, and records nothing', async () => {
    const { order, isIn, disbursements, merchantId, accountId } = await aMerchant({ monthlyMaximumSen: AMOUNT_SEN });
    expect(await isIn('ref-1', { amountSen: AMOUNT_SEN + 1n })).toBe(false);
    const by = { case: 'referenceNumber', value: 'ref-1' } as const;
    expect(await refusalOf(disbursements.getTransfer({ merchantId, accountId, by }))).toEqual(['transaction_not_found', []]);
    expect((await order('ref-1'))?.status).toBe(TransferStatus.PENDING);
  });

  test.each([
    ['failed', ReportedOutcome.FAILED, true],
    ['canceled', ReportedOutcome.CANCELED, true],
    ['succeeded', ReportedOutcome.SUCCEEDED, false],
    ['was returned', ReportedOutcome.RETURNED, false],
  ])('gives back what has %s: %i, %s', async (_what, outcome, isGivenBack) => {
    const { isIn, report } = await aMerchant({ dailyMaximumSen: 2n * AMOUNT_SEN });
    expect([await isIn('a'), await isIn('b'), await isIn('c')]).toEqual([true, true, false]);
    await report('a', outcome);
    expect([await isIn('c'), await isIn('d')]).toEqual([isGivenBack, false]);
  });

  test('does not count an order for which the balance is short', async () => {
    const { isIn, order, accountId } = await aMerchant({ dailyMaximumSen: 2n * AMOUNT_SEN });
    expect(await isIn('a')).toBe(true);
    world.available.set(accountId, 0n);
    expect(await refusalOf(order('b'))).toEqual(['insufficient_balance', []]);
    world.available.set(accountId, AMOUNT_SEN);
    expect([await isIn('b'), await isIn('c')]).toEqual([true, false]);
  });

  test('is of the business day and month in Jakarta', async () => {
    const { isIn, clock } = await aMerchant({ dailyMaximumSen: 2n * AMOUNT_SEN, monthlyMaximumSen: 3n * AMOUNT_SEN });
    const at = (iso: string) => clock.setOffset(Date.parse(iso) - Date.now());
    expect([await isIn('a'), await isIn('b'), await isIn('c')]).toEqual([true, true, false]);
    at('2027-04-01T16:59:00Z');
    expect(await isIn('c')).toBe(false);
    at('2027-04-01T17:00:00Z');
    expect([await isIn('c'), await isIn('d')]).toEqual([true, false]);
    at('2027-04-30T17:00:00Z');
    expect(await isIn('d')).toBe(true);
  });

  test('holds for transfers between own accounts too, and is one for each product', async () => {
    const { isIn, accountTransfers, merchantId, accountId, destination } = await aMerchant({ dailyMaximumSen: AMOUNT_SEN });
    const base = { merchantId, sourceAccountId: accountId, destinationAccountId: destination, amountSen: AMOUNT_SEN };
    const transfer = (referenceNumber: string) => accountTransfers.createAccountTransfer({ ...base, referenceNumber });
    expect(await isIn('a')).toBe(true);
    expect((await transfer('b')).accountTransfer?.status).toBe(TransferStatus.SUCCESS);
    expect(await refusalOf(transfer('c'))).toEqual(['account_limit', []]);
    expect((await transfer('b')).accountTransfer?.status).toBe(TransferStatus.SUCCESS);
  });

  test('is listed with what is used of it, and its refusals are counted by the bound that was exceeded', async () => {
    const quota = { maximumSen: 2n * AMOUNT_SEN, dailyMaximumSen: 3n * AMOUNT_SEN, monthlyMaximumSen: 4n * AMOUNT_SEN };
    const { isIn, report, as, merchantId, clock, adminPort } = await aMerchant(quota);
    expect([await isIn('a', { amountSen: 2n * AMOUNT_SEN }), await isIn('b')]).toEqual([true, true]);
    const listed = async () => (await as('dewi').limits.listLimits({ merchantId })).limits;
    const none = { product: 'account-transfer', ...quota, usedTodaySen: 0n, usedThisMonthSen: 0n };
    const used = 3n * AMOUNT_SEN;
    expect(await listed()).toMatchObject([
      none,
      { product: 'disbursement', ...quota, usedTodaySen: used, usedThisMonthSen: used },
    ]);
    expect([await isIn('c', { amountSen: used }), await isIn('c'), await isIn('c')]).toEqual([false, false, false]);
    // What was not paid does not count; what was yesterday counts for the month only.
    await report('b', ReportedOutcome.FAILED);
    clock.setOffset(Date.parse('2027-04-01T17:00:00Z') - Date.now());
    expect(await listed()).toMatchObject([none, { usedTodaySen: 0n, usedThisMonthSen: 2n * AMOUNT_SEN }]);
    expect([await isIn('d', { amountSen: 2n * AMOUNT_SEN }), await isIn('e')]).toEqual([true, false]);
    const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    const counted = [
      ...metrics.matchAll(/^gerbang_transfers_limit_refusals_total\{product="disbursement",period="(\w+)"[^}]*\} (\d)/gm),
    ];
    expect(counted.map(([, period, count]) => [period, count])).toEqual([
      ['transaction', '1'],
      ['day', '2'],
      ['month', '1'],
    ]);
  });

  test('is asked for nothing where operators have set none', async () => {
    const { isIn, database } = await aMerchant({});
    expect(await isIn('a', { amountSen: 999_999n })).toBe(true);
    expect(await (await world.openTransfers(database)).collection('spendings').countDocuments()).toBe(0);
  });
});
