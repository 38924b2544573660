import { eventually } from '@gerbang/testkit';
import { describe, expect, it } from 'vitest';
import { balances, credit, expectIntact, hold, refusalOf, useLedgerService } from './harness.ts';

const service = useLedgerService();
/** Which of the two depends on whether the deadline passes during an attempt or between two. */
const AWAY = /^(not_owner|unavailable|timeout)$/;
const LONG_LEASE = { LEDGER_LEASE_MS: '600000' };

/** Ends an instance's lease as if it had been silent for longer than its life; the instance itself does not notice. */
async function expireLease(database: string, instance: string): Promise<void> {
  const store = await service.openDatabase(database);
  const { matchedCount } = await store
    .collection<{ _id: string }>('leases')
    .updateOne({ _id: instance }, { $set: { until: new Date(0) } });
  expect(matchedCount).toBe(1);
}

describe('two instances', () => {
  it('leave a partition to who holds it', async () => {
    const database = service.newDatabase();
    const first = await service.start({ database, env: LONG_LEASE });
    const second = await service.start({ database, env: { ...LONG_LEASE, LEDGER_INSTANCE: 'second' } });
    await first.ledger.post(credit(100n));
    for (const call of [second.ledger.post(hold(1n)), second.ledger.getBalance({ merchantId: 'M', partition: 'p0' })])
      await expect(call).rejects.toMatchObject({ refusal: { refused: 'not_owner', owner: first.address } });
    expect((await second.ledger.post(credit(5n, { partition: 'p1' }))).availableAfterSen).toBe(5n);
  });

  it('hand a partition over at once when one closes', async () => {
    const database = service.newDatabase();
    const first = await service.start({ database, env: LONG_LEASE });
    await first.ledger.post(credit(100n));
    await first.close();
    const second = await service.start({ database, env: { ...LONG_LEASE, LEDGER_INSTANCE: 'second' } });
    expect((await second.ledger.post(hold(30n))).availableAfterSen).toBe(70n);
    await expectIntact(second.ledger);
  });

  it('take over when a lease has run out; a call that comes before waits', async () => {
    const database = service.newDatabase();
    const first = await service.start({ database, env: LONG_LEASE });
    await first.ledger.post(credit(100n));
    const second = await service.start({ database, env: { ...LONG_LEASE, LEDGER_INSTANCE: 'second' } });
    const waiting = service.open(second).ledger.post(hold(30n));
    await expireLease(database, 'first');
    expect((await waiting).availableAfterSen).toBe(70n);
  });

  it('post nothing twice when both believe that they own the partition; the old one steps down', async () => {
    const database = service.newDatabase();
    const old = await service.start({ database, env: LONG_LEASE });
    await old.ledger.post(credit(1_000n));
    await expireLease(database, 'first');
    const next = await service.start({ database, env: { ...LONG_LEASE, LEDGER_INSTANCE: 'second' } });
    expect((await next.ledger.post(hold(100n))).availableAfterSen).toBe(900n);

    // The old writer does not know yet. Whatever it is asked now, it moves nothing on its own.
    const requests = Array.from({ length: 20 }, () => hold(50n));
    const refused = await Promise.all(requests.map((request) => refusalOf(old.ledger.post(request, { timeoutMs: 150 }))));
    for (const code of refused) expect(code).toMatch(AWAY);
    const answers = await Promise.allSettled(requests.map((request) => next.ledger.post(request)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(18);
    expect(await balances(next.ledger)).toEqual([0n, 1_000n, 0n]);
    await expectIntact(next.ledger);
  });

  it('take turns under load, each shutting out the other, and move every key once', async () => {
    const database = service.newDatabase();
    const instances = [
      await service.start({ database, env: LONG_LEASE }),
      await service.start({ database, env: { ...LONG_LEASE, LEDGER_INSTANCE: 'second' } }),
    ];
    const [first, second] = instances;
    await first?.ledger.post(credit(100_000n));
    const requests = Array.from({ length: 150 }, () => hold(10n));
    const answers = new Map<string, bigint>();
    let turns = 0;
    const client = async (mine: typeof requests) => {
      for (const [i, request] of mine.entries()) {
        for (let attempt = 0; !answers.has(request.postingKey); attempt++) {
          if (attempt > 200) throw new Error('no instance answered');
          const instance = instances[(i + attempt) % 2];
          const answer = await instance?.ledger.post(request, { timeoutMs: 100 }).catch(() => undefined);
          if (answer !== undefined) answers.set(request.postingKey, answer.availableAfterSen);
        }
      }
    };
    const load = Promise.all([0, 1, 2].map((n) => client(requests.filter((_, i) => i % 3 === n))));
    let finished = false;
    load.finally(() => {
      finished = true;
    });
    while (!finished) {
      const before = answers.size;
      await expireLease(database, turns++ % 2 === 0 ? 'first' : 'second');
      await eventually('some postings are answered', () => finished || answers.size >= before + 10, 20_000);
    }
    await load;
    expect(turns).toBeGreaterThan(2);
    // Every hold moved ten sen exactly once, so no two of them left the same balance.
    expect(new Set(answers.values()).size).toBe(150);
    await expireLease(database, 'first');
    await expireLease(database, 'second');
    if (second === undefined) throw new Error('two instances');
    expect(await eventually('one of them answers', () => balances(second.ledger))).toEqual([98_500n, 1_500n, 0n]);
    await expectIntact(second.ledger);
  }, 60_000);
});

describe('a lost lease', () => {
  it('is noticed at the next renewal: nothing is answered from memory any more, and it is taken again once it is over', async () => {
    const database = service.newDatabase();
    const first = await service.start({ database, env: { LEDGER_LEASE_MS: '600' } });
    await first.ledger.post(credit(100n));
    const store = await service.openDatabase(database);
    const leases = store.collection<{ _id: string; token: string; until: Date }>('leases');
    await leases.updateOne({ _id: 'first' }, { $set: { token: 'stolen', until: new Date(Date.now() + 600_000) } });
    await eventually(
      'the first is not ready',
      async () => (await fetch(`http://127.0.0.1:${first.adminPort}/readyz`)).status === 503,
    );
    expect(await refusalOf(first.ledger.getBalance({ merchantId: 'M', partition: 'p0' }, { timeoutMs: 100 }))).toMatch(AWAY);
    await expireLease(database, 'first');
    await eventually(
      'the first is ready',
      async () => (await fetch(`http://127.0.0.1:${first.adminPort}/readyz`)).status === 200,
    );
    expect(await balances(first.ledger)).toEqual([100n, 0n, 0n]);
    await first.ledger.post(hold(1n));
    await expectIntact(first.ledger);
  });
});
