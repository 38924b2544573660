import { createClock } from '@gerbang/core';
import { EntryType, type ListEntriesRequest } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { eventually, failCommand } from '@gerbang/testkit';
import { describe, expect, it } from 'vitest';
import {
  ACCOUNT,
  balances,
  capture,
  credit,
  expectIntact,
  hold,
  MERCHANT,
  OTHER_ACCOUNT,
  refusalOf,
  release,
  type Statements,
  transfer,
  useLedgerService,
} from './harness.ts';

const service = useLedgerService();

type Filter = Partial<Omit<ListEntriesRequest, '$typeName' | '$unknown'>>;

const of = (accountId: string, more: Filter = {}) => ({
  merchantId: MERCHANT,
  partition: 'p0',
  accountId,
  limit: 1_000,
  ...more,
});

/** All pages, newest first. */
async function statement(statements: Statements, accountId = ACCOUNT, more: Filter = {}) {
  const entries = [];
  let cursor = '';
  do {
    const page = await statements.listEntries(of(accountId, { ...more, cursor }));
    entries.push(...page.entries);
    cursor = page.nextCursor;
  } while (cursor !== '');
  return entries;
}

const signed = ({ type, amountSen }: { type: EntryType; amountSen: bigint }) =>
  type === EntryType.CREDIT ? amountSen : -amountSen;

/** The entries lead from zero to the balance, each from the balance that the one before it left. */
function expectChain(entries: Awaited<ReturnType<typeof statement>>, availableSen: bigint): void {
  let sen = 0n;
  for (const entry of entries.toReversed()) {
    sen += signed(entry);
    expect(entry.balanceAfterSen).toBe(sen);
  }
  expect(sen).toBe(availableSen);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
}

describe('a statement', () => {
  it('is of the available balance: holds, releases, credits and transfers, but no capture and nothing refused', async () => {
    const clock = createClock(() => 1_800_000_000_000);
    const { ledger, statements } = await service.start({ database: service.newDatabase(), clock });
    const held = hold(600n, { feeSen: 25n });
    await ledger.post(credit(1_000n, { product: 'funding' }));
    await ledger.post(held);
    await ledger.post(capture(400n, { feeSen: 25n }));
    await ledger.post(release(150n, { feeSen: 50n }));
    await refusalOf(ledger.post(hold(9_999n)));
    await ledger.post(transfer(75n));
    const entries = await statement(statements);
    expect(entries.map((one) => [signed(one), one.feeSen, one.balanceAfterSen, one.product])).toEqual([
      [-75n, 0n, 500n, 'account-transfer'],
      [200n, 50n, 575n, 'disbursement'],
      [-625n, 25n, 375n, 'disbursement'],
      [1_000n, 0n, 1_000n, 'funding'],
    ]);
    const { transactionId, referenceNumber, description } = held;
    expect(entries[2]).toMatchObject({
      accountId: ACCOUNT,
      transactionId,
      referenceNumber,
      description,
      postedAtMs: 1_800_000_000_000n,
    });
    const [arrived, ...rest] = await statement(statements, OTHER_ACCOUNT);
    expect(rest).toEqual([]);
    expect(arrived).toMatchObject({ type: EntryType.CREDIT, amountSen: 75n, balanceAfterSen: 75n, accountId: OTHER_ACCOUNT });
    expect(entries.map(({ id }) => id)).not.toContain(arrived?.id);
    expect(await statement(statements, 'never-touched')).toEqual([]);
    await expectIntact(ledger);
  });

  it('has every posting that was answered before it was asked for', async () => {
    const { ledger, statements } = await service.start({ database: service.newDatabase() });
    for (let sen = 1n; sen <= 40n; sen++) {
      await ledger.post(credit(1n));
      const { entries } = await statements.listEntries(of(ACCOUNT, { limit: 1 }));
      expect(entries[0]?.balanceAfterSen).toBe(sen);
    }
  });

  it('pages through without a miss or a repeat while entries arrive, and sums up to the balance at every moment', async () => {
    const { ledger, statements } = await service.start({ database: service.newDatabase() });
    await ledger.post(credit(1_000_000n));
    const ids = { first: (await statement(statements))[0]?.id };
    let finished = false;
    const load = Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        for (let i = 0; i < 40; i++) await ledger.post(n % 3 === 0 ? credit(3n) : n % 3 === 1 ? hold(2n) : transfer(5n));
      }),
    ).finally(() => {
      finished = true;
    });
    let walks = 0;
    let seen: string[] = [];
    do {
      const walked = await statement(statements, ACCOUNT, { limit: 7 });
      expectChain(walked, walked[0]?.balanceAfterSen ?? 0n);
      const walkedIds = walked.map(({ id }) => id);
      // Nothing that was seen before has gone, or moved.
      expect(walkedIds.slice(walkedIds.length - seen.length)).toEqual(seen);
      seen = walkedIds;
      walks++;
    } while (!finished);
    await load;
    expect(walks).toBeGreaterThan(1);
    const entries = await statement(statements, ACCOUNT, { limit: 100 });
    expect(entries).toHaveLength(401);
    expect(entries.at(-1)?.id).toBe(ids.first);
    expectChain(entries, (await balances(ledger))[0]);
    expectChain(await statement(statements, OTHER_ACCOUNT), (await balances(ledger, OTHER_ACCOUNT))[0]);
    await expectIntact(ledger);
  });

  it('is filtered by type and by time, both ends included, with cursors', async () => {
    let nowMs = 1_000;
    const { ledger, statements } = await service.start({ database: service.newDatabase(), clock: createClock(() => nowMs) });
    for (nowMs = 1_000; nowMs <= 6_000; nowMs += 1_000) await ledger.post(nowMs % 2_000 === 0 ? hold(1n) : credit(10n));
    const times = async (more: Filter) =>
      (await statement(statements, ACCOUNT, { limit: 1, ...more })).map(({ postedAtMs }) => Number(postedAtMs));
    expect(await times({})).toEqual([6_000, 5_000, 4_000, 3_000, 2_000, 1_000]);
    expect(await times({ type: EntryType.CREDIT })).toEqual([5_000, 3_000, 1_000]);
    expect(await times({ type: EntryType.DEBIT })).toEqual([6_000, 4_000, 2_000]);
    expect(await times({ fromMs: 2_000n, toMs: 5_000n })).toEqual([5_000, 4_000, 3_000, 2_000]);
    expect(await times({ fromMs: 2_001n, toMs: 4_999n, type: EntryType.DEBIT })).toEqual([4_000]);
    expect(await times({ fromMs: 6_001n })).toEqual([]);
    expect(await times({ fromMs: 5_000n, toMs: 1_000n })).toEqual([]);
  });

  it('keeps accounts, merchants and partitions apart', async () => {
    const { ledger, statements } = await service.start({ database: service.newDatabase() });
    await ledger.post(credit(1n));
    await ledger.post(credit(2n, { merchantId: 'other' }));
    await ledger.post(credit(4n, { accountId: OTHER_ACCOUNT }));
    await ledger.post(credit(8n, { partition: 'p1' }));
    expect((await statement(statements)).map(signed)).toEqual([1n]);
    expect((await statement(statements, ACCOUNT, { merchantId: 'other' })).map(signed)).toEqual([2n]);
    expect((await statement(statements, ACCOUNT, { partition: 'p1' })).map(signed)).toEqual([8n]);
  });

  it('answers the same entries and takes the same cursors after a restart and by another instance', async () => {
    const database = service.newDatabase();
    const before = await service.start({ database });
    for (let i = 0; i < 9; i++) await before.ledger.post(credit(5n));
    const entries = await statement(before.statements);
    const { nextCursor } = await before.statements.listEntries(of(ACCOUNT, { limit: 4 }));
    await before.close();
    const after = await service.start({ database, env: { LEDGER_INSTANCE: 'second' } });
    await after.ledger.post(hold(1n));
    const { entries: rest } = await after.statements.listEntries(of(ACCOUNT, { cursor: nextCursor }));
    expect(rest).toEqual(entries.slice(4));
    expect((await statement(after.statements)).slice(1)).toEqual(entries);
  });

  it.each([
    ['partition', { partition: 'p0:1' }],
    ['merchant_id', { merchantId: '' }],
    ['account_id', { accountId: '' }],
    ['account_id', { accountId: `${ACCOUNT}:credit` }],
    ['cursor', { cursor: 'nonsense' }],
    ['cursor', { cursor: Buffer.from('1:01K000').toString('base64url') }],
    ['type', { type: 9 }],
    ['from_ms', { fromMs: 2n ** 62n }],
    ['to_ms', { toMs: -(2n ** 62n) }],
  ])('names the wrong field %s', async (field, more) => {
    const { statements } = await service.start({ database: service.newDatabase() });
    await expect(statements.listEntries(of(ACCOUNT, more))).rejects.toMatchObject({
      refusal: { refused: 'validation', errors: { [field]: expect.anything() } },
    });
  });
});

describe('while the projections lag', () => {
  it('a statement waits for them; it is unavailable when they do not come in time', async () => {
    const database = service.newDatabase();
    const { ledger, statements } = await service.start({ database, env: { LEDGER_LEASE_MS: '600000' } });
    await ledger.post(credit(100n));
    await statement(statements);
    const namespace = `${database}ledger.postings`;
    await using failing = await failCommand(service.mongoUri(), 'alwaysOn', {
      failCommands: ['insert'],
      namespace,
      errorCode: 8000,
    });
    await ledger.post(hold(30n));
    expect(await refusalOf(statements.listEntries(of(ACCOUNT), { timeoutMs: 3_300 }))).toMatch(/unavailable|timeout/);
    let answered = false;
    const waiting = statement(statements).finally(() => {
      answered = true;
    });
    await ledger.post(hold(1n));
    expect(answered).toBe(false);
    await failing.off();
    expect((await waiting).at(-2)?.balanceAfterSen).toBe(70n);
    expect((await statement(statements)).map(signed)).toEqual([-1n, -30n, 100n]);
    await expectIntact(ledger);
  });
});

describe('projections of an earlier version', () => {
  it('are written anew when the partition is opened: the first', async () => {
    const database = service.newDatabase();
    const before = await service.start({ database });
    for (const request of [credit(100n), hold(10n), credit(5n), hold(9_999n)]) await before.ledger.post(request).catch(() => {});
    const entries = await statement(before.statements);
    await before.close();
    const store = await service.openDatabase(database);
    type Any = { _id: string; [field: string]: unknown };
    await store
      .collection<Any>('postings')
      .updateMany({}, { $unset: { statement: '', 'legs.$[].after_sen': '' }, $set: { schema: 1 } });
    await store
      .collection<Any>('journal')
      .updateMany({}, { $set: { schema: 1 }, $unset: { 'postings.$[].destination_account_id': '' } });
    await store.collection<Any>('checkpoints').updateMany({}, { $set: { schema: 1 } });
    await store
      .collection<Any>('postings')
      .createIndex({ partition: 1, 'legs.account': 1, seq: 1, index: 1 }, { name: 'statement' });

    const after = await service.start({ database });
    expect(await statement(after.statements)).toEqual(entries);
    expect(entries.map(signed)).toEqual([5n, -10n, 100n]);
    await expectIntact(after.ledger);
    await after.ledger.post(credit(1n));
    await eventually(
      'the new version vouches for them',
      async () => (await store.collection<Any>('checkpoints').findOne({}))?.schema === 3,
    );
    const indexes = await store.collection('postings').indexes();
    expect(indexes.map(({ name }) => name).sort()).toEqual(['_id_', 'entries', 'settlements']);
  });

  it('are written anew when the partition is opened: the second', async () => {
    const database = service.newDatabase();
    const before = await service.start({ database });
    for (const request of [credit(100n), hold(10n), credit(5n)]) await before.ledger.post(request);
    const entries = await statement(before.statements);
    await before.close();
    const store = await service.openDatabase(database);
    type Any = { _id: string; [field: string]: unknown };
    const whole = { $concatArrays: [[`${MERCHANT}/${ACCOUNT}`], '$statement'] };
    await store.collection<Any>('postings').updateMany({}, [{ $set: { statement: whole, schema: 2 } }]);
    await store.collection<Any>('checkpoints').updateMany({}, { $set: { schema: 2 } });

    const after = await service.start({ database });
    expect(await statement(after.statements)).toEqual(entries);
    expect((await store.collection<Any>('postings').findOne({}))?.statement).toHaveLength(1);
    await expectIntact(after.ledger);
  });
});
