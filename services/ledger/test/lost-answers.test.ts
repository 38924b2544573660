import type { Store } from '@gerbang/store';
import { type CommandFailure, eventually, failCommand, type Held } from '@gerbang/testkit';
import { describe, expect, it } from 'vitest';
import { balances, capture, credit, expectIntact, hold, type Running, refusalOf, useLedgerService } from './harness.ts';

const service = useLedgerService();

/** Lets the database fail commands of this test file's services in the way told, until the test ends or says `off`. */
const fail = (mode: 'alwaysOn' | { times: number }, failure: CommandFailure): Promise<Held> =>
  failCommand(service.mongoUri(), mode, failure);

/** Nothing but the journal writes: everything posted so far is projected. */
async function quiet(store: Store): Promise<void> {
  await eventually('everything is projected', async () => {
    const [last] = await store.collection<{ seq: bigint }>('journal').find({}).sort({ _id: -1 }).limit(1).toArray();
    const checkpoint = await store.collection<{ seq: bigint }>('checkpoints').findOne({});
    return last !== undefined && checkpoint?.seq === last.seq;
  });
}

/**
 * A ledger with 1,000 sen available whose next insert is the journal's. The lease is long, so that its renewals meet no fail
 * point.
 */
async function prepare(
  env: Record<string, string> = {},
): Promise<Running & { store: Store; journalled(key: string): Promise<number> }> {
  const database = service.newDatabase();
  const running = await service.start({ database, env: { LEDGER_LEASE_MS: '600000', ...env } });
  await running.ledger.post(credit(1_000n));
  const store = await service.openDatabase(database);
  await quiet(store);
  return { ...running, store, journalled: (key) => journalled(store, key) };
}

/** How often a posting is in the journal. */
async function journalled(store: Store, key: string): Promise<number> {
  const batches = await store.collection<{ postings: { key: string }[] }>('journal').find({}).toArray();
  return batches.filter(({ postings }) => postings.some((posting) => posting.key === key)).length;
}

describe('a lost answer of the journal', () => {
  it.each([
    [
      'written, but the server says that it is not replicated in time',
      { writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } },
    ],
    ['not written, the connection breaks', { closeConnection: true }],
    ['not written, the primary steps down', { errorCode: 189 }],
    ['not written, for no known reason', { errorCode: 8000 }],
  ])('is resolved: %s', async (_, failure) => {
    const { ledger, journalled } = await prepare();
    const request = hold(100n);
    await using failing = await fail({ times: 3 }, { failCommands: ['insert'], ...failure });
    const answered = await ledger.post(request);
    expect(answered.availableAfterSen).toBe(900n);
    expect(await ledger.post(request)).toEqual(answered);
    expect(await journalled(request.postingKey)).toBe(1);
    expect(await balances(ledger)).toEqual([900n, 100n, 0n]);
    await failing.off();
    await expectIntact(ledger);
  });

  it('keeps the caller waiting until it is resolved; who came back with the key meanwhile gets the same answer', async () => {
    const { ledger, journalled } = await prepare();
    await using failing = await fail('alwaysOn', {
      failCommands: ['insert'],
      writeConcernError: { code: 64, errmsg: 'timed out' },
    });
    const request = hold(100n);
    expect(await refusalOf(ledger.post(request, { timeoutMs: 300 }))).toBe('timeout');
    // Not resolved, so not seen yet either.
    expect(await balances(ledger)).toEqual([1_000n, 0n, 0n]);
    const later = [ledger.post(request), ledger.post(request), ledger.post(hold(950n))];
    const settled = Promise.allSettled(later);
    await failing.off();
    const [first, second, third] = await settled;
    expect(first).toMatchObject({ status: 'fulfilled', value: { availableAfterSen: 900n } });
    expect(second).toEqual(first);
    expect(third).toMatchObject({ status: 'rejected', reason: { refusal: { refused: 'insufficient_balance' } } });
    expect(await journalled(request.postingKey)).toBe(1);
    await expectIntact(ledger);
  });

  it('gives the same result after a crash between the insertion and the answer', async () => {
    const database = service.newDatabase();
    const before = await service.start({ database, env: { LEDGER_LEASE_MS: '600000' } });
    await before.ledger.post(credit(1_000n));
    const store = await service.openDatabase(database);
    await quiet(store);
    await using failing = await fail('alwaysOn', {
      failCommands: ['insert'],
      writeConcernError: { code: 64, errmsg: 'timed out' },
    });
    const request = hold(100n, { feeSen: 1n });
    expect(await refusalOf(before.ledger.post(request, { timeoutMs: 300 }))).toBe('timeout');
    await failing.off();
    // The same identity again, while the first process still tries.
    const after = await service.start({ database });
    expect((await after.ledger.post(request)).availableAfterSen).toBe(899n);
    expect((await after.ledger.post(capture(100n, { feeSen: 1n }))).availableAfterSen).toBe(899n);
    expect(await journalled(store, request.postingKey)).toBe(1);
    await expectIntact(after.ledger);
  });
});

describe('the database away', () => {
  it('leaves keys unanswered when they cannot be looked up, and answers once it is back', async () => {
    const { ledger } = await prepare({ LEDGER_RECENT_KEYS: '0' });
    await using failing = await fail('alwaysOn', { failCommands: ['find'], errorCode: 8000 });
    const request = hold(100n);
    expect(await refusalOf(ledger.post(request, { timeoutMs: 200 }))).toMatch(/unavailable|timeout/);
    await failing.off();
    expect((await ledger.post(request)).availableAfterSen).toBe(900n);
    await expectIntact(ledger);
  });

  it('looks no key up while memory has all that were ever used', async () => {
    const { ledger } = await prepare();
    await using _failing = await fail('alwaysOn', { failCommands: ['find'], errorCode: 8000 });
    const request = hold(100n);
    expect((await ledger.post(request)).availableAfterSen).toBe(900n);
    expect((await ledger.post(request)).availableAfterSen).toBe(900n);
    expect((await ledger.post(hold(100n))).availableAfterSen).toBe(800n);
  });

  it('delays no posting when only the projections cannot be written, until they lag too far behind', async () => {
    const database = service.newDatabase();
    const { ledger } = await service.start({ database, env: { LEDGER_PROJECTOR_LAG: '5', LEDGER_LEASE_MS: '600000' } });
    await ledger.post(credit(1_000n));
    const store = await service.openDatabase(database);
    await quiet(store);
    await using failing = await fail('alwaysOn', {
      failCommands: ['insert'],
      namespace: `${database}ledger.postings`,
      errorCode: 8000,
    });
    const requests = Array.from({ length: 5 }, () => hold(10n));
    for (const request of requests) await ledger.post(request);
    expect(await refusalOf(ledger.post(hold(10n), { timeoutMs: 100 }))).toMatch(/unavailable|timeout/);
    expect(await balances(ledger)).toEqual([950n, 50n, 0n]);
    await failing.off();
    await ledger.post(hold(10n));
    await quiet(store);
    await expectIntact(ledger);
  });
});
