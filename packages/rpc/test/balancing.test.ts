import { setTimeout as sleep } from 'node:timers/promises';
import { RefusalError, refuse } from '@gerbang/core';
import { eventually, freePort } from '@gerbang/testkit';
import { afterAll, expect, test } from 'vitest';
import { FadingCount } from '../src/lanes/fading-count.ts';
import { ask, type Ledger, numbered, Opened } from './harness.ts';

const opened = new Opened();
afterAll(() => opened.close());

/**
 * The first replica answers as it is told and is number 1; the others have numbers too. A call that fails counts for the first.
 */
async function replicas(first: Partial<Ledger>, others: Partial<Ledger>[], options: { inFlightMax?: number } = {}) {
  const port = await freePort();
  const hosts = [first, ...others].map((_, i) => `127.0.0.${i + 1}`);
  for (const [i, handlers] of [first, ...others].entries()) {
    await opened.serve(handlers, { host: `127.0.0.${i + 1}`, port, ...(i === 0 && options) });
  }
  const ledger = opened.ledgerNamed(hosts, port);
  const calls = async (count: number) => {
    const answered = new Map<bigint, number>();
    for (let i = 0; i < count; i++) {
      const who = await ask(ledger).catch(() => 1n);
      answered.set(who, (answered.get(who) ?? 0) + 1);
    }
    return answered;
  };
  await eventually('all lanes are open', async () => (await calls(10 * hosts.length)).size === hosts.length);
  return { ledger, calls };
}

const working = (n: bigint) => ({
  post: async () => {
    await sleep(5);
    return { availableAfterSen: n };
  },
});

test.each([{ others: [working(2n)] }, { others: [working(2n), working(3n)] }])(
  'a replica that refuses everything at once gets few of the calls beside $others.length that work',
  async ({ others }) => {
    const { ledger } = await replicas({}, others, { inFlightMax: 0 });
    let [done, refused] = [0, 0];
    const caller = async () => {
      while (done < 1_000) {
        await ask(ledger).then(
          () => done++,
          () => refused++,
        );
      }
    };
    await Promise.all(Array.from({ length: 20 }, caller));
    // By the calls under way alone it would be twenty times what the others do.
    expect(refused).toBeLessThan(done / 4);
    expect(refused).toBeGreaterThan(0);
  },
);

test('a replica that has recovered has its part again', async () => {
  let isBroken = true;
  const recovering = async () => {
    if (isBroken) throw new Error('its database is gone');
    return { availableAfterSen: 1n };
  };
  const { calls } = await replicas({ post: recovering }, [numbered(2n)]);
  expect((await calls(200)).get(2n)).toBeGreaterThan(150);
  isBroken = false;
  await eventually('it has half', async () => (await calls(100)).get(1n) === 50);
});

test('where all fail, none is spared and no call waits', async () => {
  const counts = [0, 0];
  const failing = (i: number) => ({
    post: async () => {
      counts[i] = (counts[i] ?? 0) + 1;
      throw new RefusalError(refuse('unavailable'));
    },
  });
  const port = await freePort();
  for (const i of [0, 1]) await opened.serve(failing(i), { host: `127.0.0.${i + 1}`, port });
  const ledger = opened.ledgerNamed(['127.0.0.1', '127.0.0.2'], port);
  await eventually('both are asked', async () => {
    await ask(ledger).catch(() => undefined);
    return counts.every((count) => count > 0);
  });
  const before = [...counts];
  await Promise.allSettled(Array.from({ length: 200 }, () => ask(ledger)));
  for (const i of [0, 1]) expect((counts[i] ?? 0) - (before[i] ?? 0)).toBeGreaterThan(90);
});

test('a refusal that lies in the request says nothing of the replica, whatever its status', async () => {
  const { calls } = await replicas(
    {
      post: async () => {
        throw new RefusalError(refuse('vendor_inactive'));
      },
    },
    [numbered(2n)],
  );
  expect(await calls(100)).toEqual(
    new Map([
      [1n, 50],
      [2n, 50],
    ]),
  );
});

test('what has happened fades away', () => {
  const count = new FadingCount();
  expect(count.at(1_000)).toBe(0);
  for (let i = 0; i < 100; i++) count.add(1_000);
  expect(count.at(1_000)).toBe(100);
  expect(count.at(1_500)).toBeCloseTo(100 / Math.E);
  count.add(1_500);
  expect(count.at(1_500)).toBeCloseTo(100 / Math.E + 1);
  expect(count.at(4_000)).toBe(0);
});
