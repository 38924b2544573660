import { eventually } from '@gerbang/testkit';
import { describe, expect, it } from 'vitest';
import { balances, capture, credit, expectIntact, hold, refusalOf, release, useLedgerService, verified } from './harness.ts';

const service = useLedgerService();

describe('posting keys', () => {
  it('post once and answer one result, however often they come at once', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    const request = credit(700n);
    const answers = await Promise.all(Array.from({ length: 50 }, () => ledger.post(request)));
    expect(new Set(answers.map(({ availableAfterSen, postedAtMs }) => `${availableAfterSen} ${postedAtMs}`)).size).toBe(1);
    expect(await balances(ledger)).toEqual([700n, 0n, 0n]);
    expect((await verified(ledger)).postings).toBe(1n);
  });

  it('answer their first result later, whatever has happened since', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    const first = credit(100n);
    const answered = await ledger.post(first);
    await ledger.post(hold(60n));
    expect(await ledger.post(first)).toEqual(answered);
  });

  it('are burnt by a refusal: money that comes later does not change the answer', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    const tooMuch = hold(10n);
    expect(await refusalOf(ledger.post(tooMuch))).toBe('insufficient_balance');
    await ledger.post(credit(1_000n));
    expect(await refusalOf(ledger.post(tooMuch))).toBe('insufficient_balance');
    expect(await balances(ledger)).toEqual([1_000n, 0n, 0n]);
    await expectIntact(ledger);
  });

  it.each([
    ['amount', { amountSen: 6n }],
    ['fee', { feeSen: 1n }],
    ['account', { accountId: 'other' }],
    ['merchant', { merchantId: 'other' }],
    ['rail', { rail: 'other' }],
    ['transaction', { transactionId: 'other' }],
    ['description', { description: 'other' }],
  ])('conflict when the %s is another', async (_, other) => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    await ledger.post(credit(100n));
    const request = hold(5n);
    await ledger.post(request);
    expect(await refusalOf(ledger.post({ ...request, ...other }))).toBe('posting_key_conflict');
    expect(await balances(ledger)).toEqual([95n, 5n, 0n]);
  });

  it('let only one of a capture and a release through that share a key', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    await ledger.post(credit(100n));
    await ledger.post(hold(100n));
    const outcome = { postingKey: 'transfer:outcome', transactionId: 't' };
    const answers = await Promise.allSettled([ledger.post(capture(100n, outcome)), ledger.post(release(100n, outcome))]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [available, held] = await balances(ledger);
    expect(held).toBe(0n);
    expect([0n, 100n]).toContain(available);
    await expectIntact(ledger);
  });

  it('are found in the projections once memory has forgotten them', async () => {
    const database = service.newDatabase();
    const { ledger } = await service.start({ database, env: { LEDGER_RECENT_KEYS: '0' } });
    const requests = [credit(500n), hold(40n), hold(9_999n)];
    const answers = await Promise.allSettled(requests.map((request) => ledger.post(request)));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    const store = await service.openDatabase(database);
    await eventually('three postings are projected', async () => (await store.collection('postings').countDocuments({})) === 3);
    const again = await Promise.allSettled(requests.map((request) => ledger.post(request)));
    expect(again.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.refusal.refused))).toEqual(
      answers.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.refusal.refused)),
    );
    expect(await refusalOf(ledger.post({ ...credit(1n), postingKey: requests[0]?.postingKey ?? '' }))).toBe(
      'posting_key_conflict',
    );
    expect(await balances(ledger)).toEqual([460n, 40n, 0n]);
    await expectIntact(ledger);
  });
});

describe('concurrency', () => {
  it('never overdraws one account, and commits what waits together', async () => {
    const database = service.newDatabase();
    const { ledger } = await service.start({ database });
    await ledger.post(credit(1_000n));
    const answers = await Promise.allSettled(Array.from({ length: 200 }, () => ledger.post(hold(9n, { feeSen: 1n }))));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
    expect(answers.flatMap((one) => (one.status === 'rejected' ? [one.reason.refusal.refused] : []))).toEqual(
      Array.from({ length: 100 }, () => 'insufficient_balance'),
    );
    const left = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.availableAfterSen] : []));
    expect(left.sort((a, b) => Number(a - b))).toEqual(Array.from({ length: 100 }, (_, i) => BigInt(i) * 10n));
    expect(await balances(ledger)).toEqual([0n, 1_000n, 0n]);
    const store = await service.openDatabase(database);
    expect(await store.collection('journal').countDocuments({})).toBeLessThan(100);
    await expectIntact(ledger);
  });

  it('keeps partitions apart', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    await Promise.all([
      ledger.post(credit(10n, { partition: 'p1', postingKey: 'same' })),
      ledger.post(credit(20n, { partition: 'p2', postingKey: 'same' })),
    ]);
    expect(await balances(ledger)).toEqual([0n, 0n, 0n]);
    expect((await verified(ledger)).postings).toBe(2n);
    await expectIntact(ledger);
  });
});
