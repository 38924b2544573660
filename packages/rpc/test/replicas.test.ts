import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, freePort } from '@gerbang/testkit';
import { afterAll, afterEach, expect, test } from 'vitest';
import { ask, failureOf, numbered, Opened } from './harness.ts';

/** Replicas have addresses of their own and one port, as the pods behind a headless service. */
const A = '127.0.0.1';
const B = '127.0.0.2';

const opened = new Opened();
const processes: ChildProcess[] = [];
afterEach(() => {
  for (const child of processes.splice(0)) child.kill('SIGKILL');
});
afterAll(() => opened.close());

async function spawnReplica(host: string, port: number): Promise<ChildProcess & { pid: number }> {
  const child = fork(path.join(import.meta.dirname, 'replica-process.ts'), [host, String(port)]);
  processes.push(child);
  await once(child, 'message');
  if (child.pid === undefined) throw new Error('no process');
  return Object.assign(child, { pid: child.pid });
}

test('calls are spread over all replicas of a name, and go where fewer are under way', async () => {
  const port = await freePort();
  const blocked = Promise.withResolvers<object>();
  const counts = { a: 0, b: 0 };
  await opened.serve(
    { post: async () => ({ availableAfterSen: BigInt(++counts.a) }), verify: () => blocked.promise },
    { host: A, port },
  );
  await opened.serve(
    { post: async () => ({ availableAfterSen: BigInt(++counts.b) }), verify: () => blocked.promise },
    { host: B, port },
  );
  const ledger = opened.ledgerNamed([A, B], port);
  await eventually('both answer', async () => {
    await ledger.post({});
    return counts.a > 0 && counts.b > 0;
  });
  const before = { ...counts };
  for (let i = 0; i < 100; i++) await ledger.post({});
  expect(counts.a - before.a).toBe(50);
  expect(counts.b - before.b).toBe(50);
  const slow = ledger.verify({});
  const after = { ...counts };
  for (let i = 0; i < 10; i++) await ledger.post({});
  expect([counts.a - after.a, counts.b - after.b].sort()).toEqual([0, 10]);
  blocked.resolve({});
  await slow;
});

test('a replica that is drained finishes what it has, new calls go elsewhere, and none fails; then it is back', async () => {
  const port = await freePort();
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<object>();
  const slow = {
    ...numbered(1n),
    verify: () => {
      started.resolve();
      return finish.promise;
    },
  };
  const a = await opened.serve(slow, { host: A, port });
  const ledger = opened.ledgerNamed([A, B], port);
  const inFlight = ledger.verify({}, { retry: false });
  await started.promise;
  await opened.serve(numbered(2n), { host: B, port });
  const answers: bigint[] = [];
  let go = true;
  const load = Array.from({ length: 8 }, async () => {
    while (go) answers.push(await ask(ledger, 15_000));
  });
  await eventually('both answer', () => answers.includes(1n) && answers.includes(2n));
  const closing = a.close();
  const atClosing = answers.length;
  await eventually('the other one has all', () => answers.length > atClosing + 200 && !answers.slice(-100).includes(1n));
  finish.resolve({ postings: 5n });
  expect((await inFlight).postings).toBe(5n);
  await closing;
  await opened.serve(numbered(1n), { host: A, port });
  const atRestart = answers.length;
  await eventually('it answers again', () => answers.slice(atRestart).includes(1n));
  go = false;
  await Promise.all(load);
});

test('the only replica may restart: calls in between fail at once or wait, as they may be repeated or not', async () => {
  const port = await freePort();
  const ledger = opened.ledgerNamed([A], port);
  const first = await opened.serve(numbered(1n), { host: A, port });
  expect(await ask(ledger)).toBe(1n);
  await first.close();
  await eventually('nobody is there', async () => (await failureOf(ask(ledger))).startsWith('unavailable'));
  const waiting = ledger.post({});
  await opened.serve(numbered(2n), { host: A, port });
  expect((await waiting).availableAfterSen).toBe(2n);
});

test('a call that had left when its replica was killed is not sent again: its outcome is unknown', async () => {
  const port = await freePort();
  const a = await spawnReplica(A, port);
  const ledger = opened.ledgerNamed([A], port);
  const call = failureOf(ledger.post({ postingKey: 'never' }, { retry: false, timeoutMs: 60_000 }));
  expect(await ask(ledger)).toBe(BigInt(a.pid));
  let posts = 0;
  const ended = once(a, 'exit');
  a.kill('SIGKILL');
  await ended;
  expect(await call).toMatch(/^unavailable: .*broke after the call had left/);
  await opened.serve({ post: async () => ({ availableAfterSen: BigInt(++posts) }) }, { host: A, port });
  await eventually('it is back', async () => (await ask(ledger)) > 0n);
  expect(posts).toBe(1);
});

test('calls that had not left when their replica was killed are answered by another, each once', async () => {
  const port = await freePort();
  const a = await spawnReplica(A, port);
  const ledger = opened.ledgerNamed([A, B], port);
  expect(await ask(ledger)).toBe(BigInt(a.pid));
  a.kill('SIGSTOP');
  // More than the connection and the process's buffers take, so that what comes behind stays here.
  const large = 'x'.repeat(3 * 1024 * 1024);
  const ahead = Array.from({ length: 6 }, () =>
    failureOf(ledger.post({ description: large }, { retry: false, timeoutMs: 20_000 })),
  );
  await sleep(500);
  const keys: string[] = [];
  const behind = Array.from({ length: 20 }, (_, i) => ledger.post({ postingKey: `k${i}` }, { retry: false, timeoutMs: 20_000 }));
  await opened.serve(
    {
      post: async ({ postingKey }) => {
        keys.push(postingKey);
        return { availableAfterSen: 2n };
      },
    },
    { host: B, port },
  );
  await eventually('the other one is connected', async () => (await ask(ledger, 500).catch(() => 0n)) === 2n);
  a.kill('SIGKILL');
  const outcomes = await Promise.allSettled(behind);
  const answered = outcomes.flatMap((outcome, i) => (outcome.status === 'fulfilled' ? [`k${i}`] : []));
  expect(answered.length).toBeGreaterThan(0);
  for (const failure of await Promise.all(ahead)) expect(failure).toMatch(/^unavailable: .*broke after the call had left/);
  expect(keys.filter((key) => key !== '').sort()).toEqual(answered.sort());
});

test('a replica that hangs is avoided, then given up, and used again when it goes on', async () => {
  const port = await freePort();
  const a = await spawnReplica(A, port);
  const b = await spawnReplica(B, port);
  const ledger = opened.ledgerNamed([A, B], port);
  const answered = async () => new Set(await Promise.all(Array.from({ length: 10 }, () => ask(ledger))));
  await eventually('both answer', async () => (await answered()).size === 2);
  a.kill('SIGSTOP');
  const stuck = Array.from({ length: 4 }, () =>
    ledger.post({}, { retry: false, timeoutMs: 60_000 }).then(
      ({ availableAfterSen }) => String(availableAfterSen),
      (error: unknown) => String((error as Error).cause),
    ),
  );
  let isGivenUp = false;
  for (const one of stuck)
    void one.then((outcome) => {
      isGivenUp ||= outcome !== String(b.pid);
    });
  await eventually('it is avoided', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(ledger, 300)));
    return answers.every((pid) => pid === BigInt(b.pid));
  });
  // It is avoided for its silence alone, before anything has failed.
  expect(isGivenUp).toBe(false);
  const outcomes = await Promise.all(stuck);
  expect(outcomes.filter((outcome) => outcome === String(b.pid))).toHaveLength(2);
  expect(outcomes.filter((outcome) => outcome.includes('the server has been silent'))).toHaveLength(2);
  a.kill('SIGCONT');
  await eventually('it answers again', async () => (await answered()).has(BigInt(a.pid)));
}, 30_000);
