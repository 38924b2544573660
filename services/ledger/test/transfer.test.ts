import { describe, expect, it } from 'vitest';
import {
  ACCOUNT,
  balances,
  credit,
  expectIntact,
  OTHER_ACCOUNT,
  refusalOf,
  transfer,
  useLedgerService,
  verified,
} from './harness.ts';

const service = useLedgerService();

describe('a transfer between accounts', () => {
  it('moves both in one posting and answers the balance of the source', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    await ledger.post(credit(100n));
    expect((await ledger.post(transfer(30n))).availableAfterSen).toBe(70n);
    expect(await balances(ledger)).toEqual([70n, 0n, 0n]);
    expect(await balances(ledger, OTHER_ACCOUNT)).toEqual([30n, 0n, 0n]);
    expect(await refusalOf(ledger.post(transfer(71n)))).toBe('insufficient_balance');
    expect((await verified(ledger)).postings).toBe(3n);
    await expectIntact(ledger);
  });

  it('moves once under one key, however often it comes at once', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    await ledger.post(credit(100n));
    const request = transfer(30n);
    const answers = await Promise.all(Array.from({ length: 50 }, () => ledger.post(request)));
    expect(new Set(answers.map(({ availableAfterSen }) => availableAfterSen))).toEqual(new Set([70n]));
    expect(await balances(ledger, OTHER_ACCOUNT)).toEqual([30n, 0n, 0n]);
    expect(await refusalOf(ledger.post({ ...request, destinationAccountId: 'third' }))).toBe('posting_key_conflict');
    await expectIntact(ledger);
  });

  it('conserves the sum when many run both ways at once, and overdraws neither', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    await ledger.post(credit(50n));
    await ledger.post(credit(50n, { accountId: OTHER_ACCOUNT }));
    const both = (i: number) => (i % 2 === 0 ? {} : { accountId: OTHER_ACCOUNT, destinationAccountId: ACCOUNT });
    const answers = await Promise.allSettled(
      Array.from({ length: 300 }, (_, i) => ledger.post(transfer(BigInt((i % 7) + 20), both(i)))),
    );
    for (const one of answers)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ refusal: { refused: 'insufficient_balance' } });
      else expect(one.value.availableAfterSen).toBeGreaterThanOrEqual(0n);
    expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true);
    const [[here], [there]] = [await balances(ledger), await balances(ledger, OTHER_ACCOUNT)];
    expect(here + there).toBe(100n);
    await expectIntact(ledger);
  });
});
