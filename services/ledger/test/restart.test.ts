import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { openChannel } from '@gerbang/rpc';
import { eventually, freePort } from '@gerbang/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { balances, CHAIN_KEYS, credit, expectIntact, hold, ledgerOf, refusalOf, useLedgerService } from './harness.ts';

const service = useLedgerService();
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('a restart', () => {
  it('finds everything again', async () => {
    const database = service.newDatabase();
    const before = await service.start({ database });
    const requests = [credit(1_000n), hold(100n), hold(5_000n)];
    await before.ledger.post(requests[0] ?? {});
    const held = await before.ledger.post(requests[1] ?? {});
    await refusalOf(before.ledger.post(requests[2] ?? {}));
    await before.close();
    const after = await service.start({ database });
    expect(await balances(after.ledger)).toEqual([900n, 100n, 0n]);
    expect(await after.ledger.post(requests[1] ?? {})).toEqual(held);
    expect(await refusalOf(after.ledger.post(requests[2] ?? {}))).toBe('insufficient_balance');
    await expectIntact(after.ledger);
  });

  it.each([
    ['lost', { checkpoint: 0, balances: true, postings: true }],
    ['at the middle, with the checkpoint', { checkpoint: 3, balances: true, postings: true }],
    ['written, but the checkpoint is not', { checkpoint: 2, balances: false, postings: false }],
    ['partly written', { checkpoint: 0, balances: false, postings: true }],
  ])('brings projections forward that are %s', async (_, lost) => {
    const database = service.newDatabase();
    const before = await service.start({ database });
    const store = await service.openDatabase(database);
    const balancesAt = store.collection<{ _id: string; seq: bigint }>('balances');
    const checkpoints = store.collection<{ _id: string; seq: bigint }>('checkpoints');
    const requests = [credit(1_000n), hold(1n), hold(2n), hold(3n), credit(4n, { accountId: 'other' }), hold(99_999n)];
    let middle: { _id: string; seq: bigint }[] = [];
    for (const [i, request] of requests.entries()) {
      await before.ledger.post(request).catch(() => {});
      await eventually('it is projected', async () => (await checkpoints.findOne({}))?.seq === BigInt(i + 2));
      // The barrier is the first batch, so two postings later the checkpoint is 3.
      if (lost.checkpoint === i + 2) middle = await balancesAt.find({}).toArray();
    }
    await before.close();
    const checkpoint = BigInt(lost.checkpoint);
    if (checkpoint === 0n) await checkpoints.deleteMany({});
    else await checkpoints.updateOne({ _id: 'p0' }, { $set: { seq: checkpoint } });
    if (lost.balances) {
      await balancesAt.deleteMany({});
      if (middle.length > 0) await balancesAt.insertMany(middle);
    }
    const postings = store.collection<{ partition: string; seq: bigint }>('postings');
    if (lost.postings) await postings.deleteMany({ partition: 'p0', seq: { $gt: checkpoint } });
    const after = await service.start({ database });
    expect(await balances(after.ledger)).toEqual([994n, 6n, 0n]);
    expect((await after.ledger.post(requests[1] ?? {})).availableAfterSen).toBe(999n);
    await eventually('all is projected', async () => ((await checkpoints.findOne({}))?.seq ?? 0n) >= 8n);
    await expectIntact(after.ledger);
  });

  it('refuses to start from a journal with a gap', async () => {
    const database = service.newDatabase();
    const before = await service.start({ database });
    for (const request of [credit(10n), hold(1n), hold(1n)]) await before.ledger.post(request);
    await before.close();
    const store = await service.openDatabase(database);
    await store.collection('checkpoints').deleteMany({});
    await store.collection<{ _id: string }>('journal').deleteOne({ _id: 'p0:0000000000000003' });
    const after = await service.start({ database });
    expect(await refusalOf(after.ledger.post(hold(1n), { timeoutMs: 200 }))).toMatch(/unavailable|timeout/);
  });

  it('after kill -9 under load keeps every answer and answers every key', async () => {
    const database = service.newDatabase();
    const [port, adminPort] = [await freePort(), await freePort()];
    const start = () => {
      const child = spawn(process.execPath, [path.join(import.meta.dirname, '../src/main.ts')], {
        stdio: 'inherit',
        env: {
          ...process.env,
          GERBANG_ENV: 'sandbox',
          LOG_LEVEL: 'silent',
          MONGODB_URI: service.mongoUri(),
          MONGODB_DB_PREFIX: database,
          CHAIN_KEYS,
          MERCHANT_RPC: service.merchantRpc(),
          RPC_PORT: String(port),
          ADMIN_PORT: String(adminPort),
        },
      });
      children.push(child);
      return child;
    };
    const channel = openChannel({ address: `127.0.0.1:${port}`, tls: undefined, timeoutMs: 20_000 });
    const ledger = ledgerOf(channel);
    const child = start();
    await ledger.post(credit(1_000_000n));
    const requests = Array.from({ length: 400 }, () => hold(10n));
    const answers = new Map<string, bigint>();
    const load = Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        for (const request of requests.filter((_, i) => i % 20 === n)) {
          answers.set(request.postingKey, (await ledger.post(request)).availableAfterSen);
        }
      }),
    );
    await eventually('a hundred are answered', () => answers.size >= 100);
    child.kill('SIGKILL');
    await once(child, 'exit');
    start();
    await load;
    expect(new Set(answers.values()).size).toBe(400);
    expect(await balances(ledger)).toEqual([996_000n, 4_000n, 0n]);
    const again = await Promise.all(requests.map((request) => ledger.post(request)));
    expect(again.map(({ availableAfterSen }) => availableAfterSen)).toEqual(
      requests.map(({ postingKey }) => answers.get(postingKey)),
    );
    await expectIntact(ledger);
    await channel.close();
  }, 60_000);
});
