import type { Store } from '@gerbang/store';
import { eventually } from '@gerbang/testkit';
import { describe, expect, it } from 'vitest';
import { ACCOUNT, capture, credit, expectIntact, hold, MERCHANT, refusalOf, useLedgerService, verified } from './harness.ts';

const service = useLedgerService();

type Any = { _id: string; [field: string]: unknown };
const available = `${MERCHANT}/${ACCOUNT}:available`;

const tampering: [string, (store: Store) => Promise<unknown>, RegExp][] = [
  [
    'a projected balance that was changed',
    (store) => store.collection<Any>('balances').updateOne({ _id: `p0/${available}` }, { $set: { sen: 1_000_000n } }),
    /projected balance of .*:available is 1000000 sen at 3, the journal has 899/,
  ],
  [
    'a projected balance that is missing',
    (store) => store.collection<Any>('balances').deleteOne({ _id: 'p0/fee-income' }),
    /projected balance of fee-income is of nowhere, the journal touches it at 4/,
  ],
  [
    'a projected balance of an account that the journal does not know',
    (store) =>
      store
        .collection<Any>('balances')
        .insertOne({ _id: 'p0/X/Y:available', partition: 'p0', account: 'X/Y:available', sen: 5n, seq: 2n }),
    /X\/Y:available is of 2, where the journal does not touch it/,
  ],
  [
    'a posting that is missing',
    (store) => store.collection<Any>('postings').deleteOne({ partition: 'p0', intent: 'hold' }),
    /posting .* at 3 is not stored/,
  ],
  [
    'a posting that was changed',
    (store) =>
      store.collection<Any>('postings').updateOne({ partition: 'p0', intent: 'capture' }, { $set: { 'legs.0.sen': -1n } }),
    /posting .* at 4 is stored otherwise/,
  ],
  [
    'a posting that the journal does not have',
    (store) => store.collection<Any>('postings').insertOne({ _id: 'p0/extra', key: 'extra', partition: 'p0', seq: 2n }),
    /4 postings are stored up to 4, the journal has 3\n.*posting extra is stored as of 2, where the journal does not have it/,
  ],
  [
    'a posting of a batch that the journal has not come to',
    (store) =>
      store.collection<Any>('postings').insertOne({ _id: 'p0/early', key: 'early', partition: 'p0', seq: 99n, index: 0 }),
    /posting early is stored as of 99, where the journal does not have it/,
  ],
  [
    'a projected balance of a batch that the journal has not come to',
    (store) => store.collection<Any>('balances').updateOne({ _id: 'p0/fee-income' }, { $set: { seq: 99n } }),
    /projected balance of fee-income is of 99, where the journal does not touch it/,
  ],
  [
    'a batch that is missing',
    (store) => store.collection<Any>('journal').deleteOne({ _id: 'p0:0000000000000003' }),
    /the journal has a gap between 2 and 4/,
  ],
  [
    'a journal whose last batch is gone',
    (store) => store.collection<Any>('journal').deleteOne({ _id: 'p0:0000000000000004' }),
    /the journal ends at 3, the writer is at 4/,
  ],
  [
    'an entry that was changed in the journal',
    (store) =>
      store.collection<Any>('journal').updateOne({ _id: 'p0:0000000000000002' }, { $set: { 'postings.0.legs.1.sen': 2_000n } }),
    /balance of .*:available is 899 sen in memory, the journal has 1899/,
  ],
];

describe('verify', () => {
  it.each(tampering)('finds %s', async (_, tamper, difference) => {
    const database = service.newDatabase();
    const { ledger } = await service.start({ database });
    for (const request of [credit(1_000n), hold(100n, { feeSen: 1n }), capture(100n, { feeSen: 1n })]) await ledger.post(request);
    const store = await service.openDatabase(database);
    await eventually(
      'all is projected',
      async () => (await store.collection<{ seq: bigint }>('checkpoints').findOne({}))?.seq === 4n,
    );
    await expectIntact(ledger);
    await tamper(store);
    const { differences } = await verified(ledger);
    expect(differences.join('\n')).toMatch(difference);
    for (const line of differences) expect(line).toMatch(/^p0: /);
  });

  it('lists every difference and every account, however many there are, a page at a time', async () => {
    const database = service.newDatabase();
    const { ledger } = await service.start({ database });
    const accounts = Array.from({ length: 2_300 }, (_, i) => `account-${i}`);
    await Promise.all(accounts.map((accountId) => ledger.post(credit(5n, { accountId }))));
    const store = await service.openDatabase(database);
    await eventually('all is projected', async () => (await store.collection('postings').countDocuments({})) === accounts.length);
    await store.collection('postings').updateMany({}, { $set: { amount_sen: 6n } });
    const { differences, balances, postings } = await verified(ledger);
    expect(postings).toBe(2_300n);
    expect(new Set(differences.filter((line) => line.endsWith('is stored otherwise'))).size).toBe(2_300);
    expect(balances.map(({ accountId }) => accountId).sort()).toEqual([...accounts].sort());

    const first = await ledger.verify({ partition: 'p0' });
    expect(first.differences.length + first.balances.length).toBeLessThanOrEqual(1_000);
    const next = { partition: 'p0', cursor: first.nextCursor };
    const second = await ledger.verify(next);
    // Its answer may be lost on the way: the same page again.
    expect(await ledger.verify(next)).toEqual(second);
    for (const cursor of ['nonsense', first.nextCursor.replace(/\d+$/, '9')])
      await expect(ledger.verify({ partition: 'p0', cursor })).rejects.toMatchObject({
        refusal: { errors: { cursor: expect.anything() } },
      });
    expect(await refusalOf(ledger.verify({ partition: '' }))).toBe('validation');
  });

  it('runs so many at once and no more', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    const accounts = Array.from({ length: 1_200 }, (_, i) => `account-${i}`);
    await Promise.all(accounts.map((accountId) => ledger.post(credit(5n, { accountId }))));
    const begun = await Promise.allSettled(Array.from({ length: 9 }, () => ledger.verify({ partition: 'p0' }, { retry: false })));
    expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(8);
    expect(begun.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { refusal: { refused: 'unavailable' } } });
  });

  it('is of no worth when the partition has gone meanwhile, and says so', async () => {
    const database = service.newDatabase();
    const { ledger } = await service.start({ database, env: { LEDGER_LEASE_MS: '600000' } });
    const accounts = Array.from({ length: 1_200 }, (_, i) => `account-${i}`);
    await Promise.all(accounts.map((accountId) => ledger.post(credit(5n, { accountId }))));
    const { nextCursor } = await ledger.verify({ partition: 'p0' });
    const store = await service.openDatabase(database);
    await store.collection<Any>('leases').updateOne({ _id: 'first' }, { $set: { until: new Date(0) } });
    const second = await service.start({ database, env: { LEDGER_INSTANCE: 'second' } });
    await second.ledger.post(credit(1n));
    // The first learns that it is shut out.
    await refusalOf(ledger.post(credit(1n)));
    expect(await refusalOf(ledger.verify({ partition: 'p0', cursor: nextCursor }, { retry: false }))).toBe('unavailable');
    await expectIntact(second.ledger);
  });

  it('sees a sum that is not zero', async () => {
    const database = service.newDatabase();
    const { ledger } = await service.start({ database });
    await ledger.post(credit(1_000n));
    const store = await service.openDatabase(database);
    await store
      .collection<Any>('journal')
      .updateOne({ _id: 'p0:0000000000000002' }, { $set: { 'postings.0.legs.0.sen': -900n } });
    const { sumSen, differences } = await verified(ledger);
    expect(sumSen).toBe(100n);
    expect(differences.join('\n')).toMatch(/sum up to 100 sen/);
    expect(differences.join('\n')).toMatch(/all accounts together are 100 sen/);
  });

  it('is right while postings go on', async () => {
    const { ledger } = await service.start({ database: service.newDatabase() });
    await ledger.post(credit(1_000_000n));
    let finished = false;
    const load = Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = 0; i < 60; i++) await ledger.post(hold(1n));
      }),
    ).finally(() => {
      finished = true;
    });
    let verifications = 0;
    do {
      await expectIntact(ledger);
      verifications++;
    } while (!finished);
    await load;
    expect(verifications).toBeGreaterThan(1);
    expect((await verified(ledger)).postings).toBe(481n);
    await expectIntact(ledger);
  });
});
