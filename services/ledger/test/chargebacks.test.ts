import { Intent, type PostRequest } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { Store } from '@gerbang/store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ACCOUNT,
  credit,
  expectIntact,
  type Ledger,
  MERCHANT,
  payIn,
  posting,
  refusalOf,
  settle,
  useLedgerService,
  verified,
} from './harness.ts';

const service = useLedgerService();

const chargeback = (intent: Intent) => {
  return (amountSen: bigint, more: Partial<PostRequest> = {}) =>
    posting(intent, amountSen, { product: 'card', rail: 'card', ...more });
};
const reserve = chargeback(Intent.RESERVE);
const restore = chargeback(Intent.RESTORE);
const forfeit = chargeback(Intent.FORFEIT);

async function balance(ledger: Ledger, accountId = ACCOUNT) {
  const found = await ledger.getBalance({ merchantId: MERCHANT, partition: 'p0', accountId });
  const { availableSen, pendingSen, reserveSen, owedSen } = found;
  return { available: availableSen, pending: pendingSen, reserve: reserveSen, owed: owedSen };
}

describe('a chargeback', () => {
  it('takes what is available, and the next settlements repay the rest before anything reaches the account', async () => {
    const { ledger, statements, adminPort } = await service.start({ database: service.newDatabase() });
    await ledger.post(credit(300n));
    await ledger.post(payIn(1_000n));
    expect((await ledger.post(reserve(900n, { feeSen: 100n }))).availableAfterSen).toBe(0n);
    expect(await balance(ledger)).toEqual({ available: 0n, pending: 1_000n, reserve: 1_000n, owed: 700n });
    const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    expect(/^gerbang_merchant_receivable_rupiah\{partition="p0".*$/m.exec(metrics)?.[0]).toMatch(/ 7$/);
    expect((await ledger.post(settle(500n))).availableAfterSen).toBe(0n);
    expect((await ledger.post(settle(500n))).availableAfterSen).toBe(300n);
    expect(await balance(ledger)).toEqual({ available: 300n, pending: 0n, reserve: 1_000n, owed: 0n });
    await ledger.post(forfeit(900n, { feeSen: 100n }));
    expect(await balance(ledger)).toEqual({ available: 300n, pending: 0n, reserve: 0n, owed: 0n });
    // A settlement that only repays changes no available balance, so it is no entry; the entries still sum up to the balance.
    const { entries } = await statements.listEntries({ merchantId: MERCHANT, partition: 'p0', accountId: ACCOUNT, limit: 10 });
    expect(entries.map(({ type, amountSen, balanceAfterSen }) => [type, amountSen, balanceAfterSen])).toEqual([
      [1, 300n, 300n],
      [2, 300n, 0n],
      [1, 300n, 300n],
    ]);
    const { settlements } = await statements.listSettlements({ merchantId: MERCHANT, partition: 'p0', limit: 10 });
    expect(settlements.map(({ netAmountSen }) => netAmountSen)).toEqual([500n, 500n]);
    await expectIntact(ledger);
  });

  it('that is won gives back what was taken and what was repaid, and what is still owed is owed no more', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    await ledger.post(credit(300n));
    await ledger.post(payIn(400n));
    await ledger.post(reserve(1_000n));
    await ledger.post(settle(400n));
    expect(await balance(ledger)).toEqual({ available: 0n, pending: 0n, reserve: 1_000n, owed: 300n });
    expect((await ledger.post(restore(1_000n))).availableAfterSen).toBe(700n);
    expect(await balance(ledger)).toEqual({ available: 700n, pending: 0n, reserve: 0n, owed: 0n });
    await expectIntact(ledger);
  });

  it('is ended once, and only as far as something is reserved', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    await ledger.post(reserve(100n));
    const won = restore(100n);
    await ledger.post(won);
    expect((await ledger.post(won)).availableAfterSen).toBe(0n);
    expect(await refusalOf(ledger.post(forfeit(100n)))).toBe('internal');
    expect(await refusalOf(ledger.post({ ...won, intent: Intent.FORFEIT }))).toBe('posting_key_conflict');
    expect(await balance(ledger)).toEqual({ available: 0n, pending: 0n, reserve: 0n, owed: 0n });
    await expectIntact(ledger);
  });

  it('and settlements at the same moment lose nothing, whichever comes first', { timeout: 60_000 }, async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    const sums = fc.array(fc.bigInt(1n, 500n), { minLength: 1, maxLength: 8 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(sums, sums, async (settled, charged) => {
        const accountId = `account-${++run}`;
        const ofAccount = { accountId };
        for (const sen of settled) await ledger.post(payIn(sen, ofAccount));
        const work = [...settled.map((sen) => settle(sen, ofAccount)), ...charged.map((sen) => reserve(sen, ofAccount))];
        await Promise.all(work.map((request) => ledger.post(request)));
        const total = (all: bigint[]) => all.reduce((sum, sen) => sum + sen, 0n);
        const freeSen = total(settled) - total(charged);
        const { available, pending, reserve: reserved, owed } = await balance(ledger, accountId);
        expect({ pending, reserved, net: available - owed }).toEqual({ pending: 0n, reserved: total(charged), net: freeSen });
        expect(available >= 0n && owed >= 0n).toBe(true);
        // With every chargeback won the account has what was settled; nothing is owed then.
        await Promise.all(charged.map((sen) => ledger.post(restore(sen, ofAccount))));
        expect(await balance(ledger, accountId)).toEqual({ available: total(settled), pending: 0n, reserve: 0n, owed: 0n });
      }),
      { numRuns: 15 },
    );
    await expectIntact(ledger);
  });

  it('survives the writer: what is owed is repaid after a takeover', async () => {
    const database = service.newDatabase();
    const first = await service.start({ database });
    await first.ledger.post(payIn(500n));
    await first.ledger.post(reserve(300n));
    await first.close();
    const { ledger } = await service.start({ database });
    expect(await balance(ledger)).toEqual({ available: 0n, pending: 500n, reserve: 300n, owed: 300n });
    await ledger.post(settle(500n));
    expect(await balance(ledger)).toEqual({ available: 200n, pending: 0n, reserve: 300n, owed: 0n });
    await expectIntact(ledger);
  });

  type Any = { _id: string; [field: string]: unknown };
  const account = `${MERCHANT}/${ACCOUNT}`;
  const change = (seq: number, legs: object[]) => (store: Store) =>
    store
      .collection<Any>('journal')
      .updateOne({ _id: `p0:${String(seq).padStart(16, '0')}` }, { $set: { 'postings.0.legs': legs } });
  it.each([
    [
      'a settlement that passes by what is owed',
      change(4, [
        { account: `${account}:pending`, sen: -500n },
        { account: `${account}:available`, sen: 500n },
      ]),
      /at 4 reaches available while something is owed/,
    ],
    [
      'more repaid than is owed',
      change(4, [
        { account: `${account}:pending`, sen: -500n },
        { account: `${account}:owed`, sen: 500n },
      ]),
      /:owed is 200 sen after/,
    ],
  ])('verify finds %s', async (_, tamper, difference) => {
    const database = service.newDatabase();
    const { ledger } = await service.start({ database });
    for (const request of [payIn(500n), reserve(300n), settle(500n)]) await ledger.post(request);
    await expectIntact(ledger);
    await tamper(await service.openDatabase(database));
    expect((await verified(ledger)).differences.join('\n')).toMatch(difference);
  });
});
