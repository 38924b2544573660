import { createClock } from '@gerbang/core';
import { Compensation, Intent, Side } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { describe, expect, it } from 'vitest';
import {
  ACCOUNT,
  balances,
  capture,
  compensate,
  credit,
  expectIntact,
  hold,
  MERCHANT,
  payIn,
  posting,
  refund,
  refusalOf,
  release,
  settle,
  transfer,
  useLedgerService,
  verified,
} from './harness.ts';

const service = useLedgerService();

describe('intents', () => {
  it('moves money from the rail to available, held, the rail again and the fee', async () => {
    const clock = createClock(() => 1_800_000_000_000);
    const { ledger } = await service.start({ database: service.newDatabase(), clock });
    const credited = await ledger.post(credit(1_000_00n));
    expect(credited).toMatchObject({ availableAfterSen: 1_000_00n, postedAtMs: 1_800_000_000_000n });
    expect((await ledger.post(hold(600_00n, { feeSen: 25_00n }))).availableAfterSen).toBe(375_00n);
    expect(await balances(ledger)).toEqual([375_00n, 625_00n, 0n]);
    expect((await ledger.post(capture(400_00n, { feeSen: 25_00n }))).availableAfterSen).toBe(375_00n);
    expect((await ledger.post(release(200_00n))).availableAfterSen).toBe(575_00n);
    expect(await balances(ledger)).toEqual([575_00n, 0n, 0n]);
    const found = await verified(ledger);
    expect(found).toMatchObject({ postings: 4n, sumSen: 0n, differences: [] });
    expect(found.balances).toMatchObject([{ merchantId: MERCHANT, availableSen: 575_00n, heldSen: 0n, pendingSen: 0n }]);
  });

  it('answers zeros for what was never touched, and sums over the accounts of a merchant', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    expect(await balances(ledger)).toEqual([0n, 0n, 0n]);
    expect(await balances(ledger, '')).toEqual([0n, 0n, 0n]);
    await ledger.post(credit(100n, { accountId: 'A' }));
    await ledger.post(credit(50n, { accountId: 'B' }));
    await ledger.post(credit(7n, { accountId: 'A', merchantId: 'other' }));
    await ledger.post(hold(30n, { accountId: 'B' }));
    expect(await balances(ledger, '')).toEqual([120n, 30n, 0n]);
    expect(await balances(ledger, 'B')).toEqual([20n, 30n, 0n]);
  });

  it('refuses a hold of more than is available', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    await ledger.post(credit(100n));
    expect(await refusalOf(ledger.post(hold(100n, { feeSen: 1n })))).toBe('insufficient_balance');
    expect(await balances(ledger)).toEqual([100n, 0n, 0n]);
    await ledger.post(hold(99n, { feeSen: 1n }));
    expect(await balances(ledger)).toEqual([0n, 100n, 0n]);
    await expectIntact(ledger);
  });

  it.each([
    ['capture', capture],
    ['release', release],
  ])('refuses a %s of more than is held as an error of ours', async (_, make) => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    await ledger.post(credit(100n));
    await ledger.post(hold(10n));
    expect(await refusalOf(ledger.post(make(11n)))).toBe('internal');
    expect(await balances(ledger)).toEqual([90n, 10n, 0n]);
    await expectIntact(ledger);
  });

  it('takes money in to pending, settles it, and refunds it from where it is', async () => {
    const { ledger, statements } = await service.start({ database: service.newDatabase() });
    expect((await ledger.post(payIn(97n, { feeSen: 3n }))).availableAfterSen).toBe(0n);
    await ledger.post(payIn(50n, { feeSen: 2n }));
    expect(await balances(ledger)).toEqual([0n, 0n, 147n]);
    expect((await ledger.post(settle(97n, { feeSen: 3n }))).availableAfterSen).toBe(97n);
    // Unsettled: pending loses what was credited there, available the fee.
    expect((await ledger.post(refund(50n, { feeSen: 2n, side: Side.PENDING }))).availableAfterSen).toBe(95n);
    expect(await balances(ledger)).toEqual([95n, 0n, 0n]);
    expect(await refusalOf(ledger.post(refund(97n, { feeSen: 3n })))).toBe('insufficient_balance');
    await ledger.post(credit(5n));
    expect((await ledger.post(refund(97n, { feeSen: 3n }))).availableAfterSen).toBe(0n);
    const { entries } = await statements.listEntries({ merchantId: MERCHANT, partition: 'p0', accountId: ACCOUNT, limit: 9 });
    expect(entries.map(({ amountSen, feeSen, balanceAfterSen }) => [amountSen, feeSen, balanceAfterSen])).toEqual([
      [100n, 0n, 0n],
      [5n, 0n, 100n],
      [2n, 2n, 95n],
      [97n, 0n, 97n],
    ]);
    await expectIntact(ledger);
  });

  it('gives a fee back that was the whole payment, and refuses any other compensation of 0', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    await ledger.post(payIn(0n, { feeSen: 5n, vendorFeeSen: 3n }));
    const ofPayment = { rail: 'qris', side: Side.PENDING };
    const { PAYMENT_WITHDRAWN, PAYOUT_RETURNED } = Compensation;
    expect(await refusalOf(ledger.post(compensate(PAYMENT_WITHDRAWN, 0n, ofPayment)))).toBe('validation');
    expect(await refusalOf(ledger.post(compensate(PAYOUT_RETURNED, 0n, { feeSen: 5n })))).toBe('validation');
    await ledger.post(compensate(PAYMENT_WITHDRAWN, 0n, { ...ofPayment, feeSen: 5n, vendorFeeSen: 3n }));
    expect(await balances(ledger)).toEqual([0n, 0n, 0n]);
    await expectIntact(ledger);
  });

  it('keeps in suspense what fits nothing, until an operator credits or refunds it', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    const nobodys = { merchantId: '', accountId: '', rail: 'qris', side: Side.SUSPENSE };
    await ledger.post(credit(100n, nobodys));
    await ledger.post(credit(30n, { ...nobodys, merchantId: MERCHANT, accountId: ACCOUNT }));
    await ledger.post(credit(68n, { rail: 'qris', feeSen: 2n, side: Side.PENDING, fromSuspense: true }));
    await ledger.post(refund(60n, nobodys));
    expect(await balances(ledger)).toEqual([0n, 0n, 68n]);
    await expectIntact(ledger);
  });

  it('compensates what a rail takes back or pays after all', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    await ledger.post(credit(1_000n));
    await ledger.post(hold(90n, { feeSen: 10n }));
    await ledger.post(capture(90n, { feeSen: 10n }));
    expect((await ledger.post(compensate(Compensation.PAYOUT_RETURNED, 90n, { feeSen: 10n }))).availableAfterSen).toBe(1_000n);
    expect((await ledger.post(compensate(Compensation.PAYOUT_MADE, 900n, { feeSen: 50n }))).availableAfterSen).toBe(50n);
    const beyond = compensate(Compensation.PAYMENT_WITHDRAWN, 51n, { feeSen: 1n });
    expect(await refusalOf(ledger.post(beyond))).toBe('insufficient_balance');
    await ledger.post({ ...beyond, postingKey: 'borne', side: Side.SUSPENSE, feeSen: 0n });
    expect(await balances(ledger)).toEqual([50n, 0n, 0n]);
    await expectIntact(ledger);
  });

  it('refuses a balance that no longer fits', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    await ledger.post(credit(2n ** 63n - 1n));
    expect(await refusalOf(ledger.post(credit(1n)))).toBe('account_limit');
    await expectIntact(ledger);
  });

  it.each([
    ['intent', posting(Intent.UNSPECIFIED, 1n)],
    ['partition', credit(1n, { partition: 'p0:1' })],
    ['posting_key', credit(1n, { postingKey: '' })],
    ['posting_key', credit(1n, { postingKey: 'a b' })],
    ['merchant_id', credit(1n, { merchantId: 'a/b' })],
    ['account_id', credit(1n, { accountId: '' })],
    ['amount_sen', credit(0n)],
    ['amount_sen', hold(-5n)],
    ['fee_sen', hold(1n, { feeSen: -1n })],
    ['fee_sen', hold(2n ** 63n - 1n, { feeSen: 1n })],
    ['vendor_fee_sen', credit(1n, { vendorFeeSen: -1n })],
    ['vendor_fee_sen', credit(1n, { vendorFeeSen: 1n, side: Side.SUSPENSE })],
    ['vendor_fee_sen', hold(1n, { vendorFeeSen: 1n })],
    ['fee_sen', credit(1n, { feeSen: 1n, side: Side.SUSPENSE })],
    ['fee_sen', refund(1n, { feeSen: 1n, side: Side.SUSPENSE })],
    ['side', hold(1n, { side: Side.PENDING })],
    ['side', compensate(Compensation.PAYOUT_MADE, 1n, { side: Side.PENDING })],
    ['from_suspense', credit(1n, { side: Side.SUSPENSE, fromSuspense: true })],
    ['from_suspense', refund(1n, { fromSuspense: true })],
    ['compensation', compensate(Compensation.UNSPECIFIED, 1n)],
    ['compensation', credit(1n, { compensation: Compensation.PAYOUT_MADE })],
    ['merchant_id', credit(1n, { merchantId: '', accountId: '' })],
    ['account_id', credit(1n, { accountId: '', side: Side.SUSPENSE })],
    ['transaction_id', settle(1n, { transactionId: '' })],
    ['rail', refund(1n, { rail: '' })],
    ['rail', compensate(Compensation.PAYOUT_MADE, 1n, { rail: '' })],
    ['fee_sen', transfer(1n, { feeSen: 1n })],
    ['destination_account_id', transfer(1n, { destinationAccountId: '' })],
    ['destination_account_id', transfer(1n, { destinationAccountId: ACCOUNT })],
    ['destination_account_id', transfer(1n, { destinationAccountId: 'a/b' })],
    ['destination_account_id', hold(1n, { destinationAccountId: 'B' })],
    ['amount_sen', transfer(0n)],
    ['rail', credit(1n, { rail: '' })],
    ['rail', capture(1n, { rail: 'Bank Transfer' })],
    ['description', credit(1n, { description: 'x'.repeat(501) })],
  ])('names the wrong field %s and journals nothing', async (field, request) => {
    const database = service.newDatabase();
    const { ledger } = await service.start({ database });
    await expect(ledger.post(request)).rejects.toMatchObject({
      refusal: { refused: 'validation', errors: { [field]: expect.anything() } },
    });
    const store = await service.openDatabase(database);
    expect(await store.collection('journal').countDocuments({ 'postings.0': { $exists: true } })).toBe(0);
  });
});
