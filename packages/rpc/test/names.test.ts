import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { eventually, freePort } from '@gerbang/testkit';
import { afterAll, expect, test } from 'vitest';
import { ask, failureOf, numbered, Opened } from './harness.ts';

/** Replicas have addresses of their own and one port, as the pods behind a headless service. */
const A = '127.0.0.1';
const B = '127.0.0.2';
const C = '127.0.0.3';

const opened = new Opened();
afterAll(() => opened.close());

test('a name that changes its meaning is followed; what is under way at the old address finishes', async () => {
  const port = await freePort();
  const finish = Promise.withResolvers<object>();
  const started = Promise.withResolvers<void>();
  const slow = () => {
    started.resolve();
    return finish.promise;
  };
  await opened.serve({ ...numbered(1n), verify: slow }, { host: A, port });
  const addresses = [A];
  const ledger = opened.ledgerNamed(addresses, port);
  const inFlight = ledger.verify({}, { retry: false, timeoutMs: 30_000 });
  await started.promise;
  addresses.splice(0, 1, B);
  await opened.serve(numbered(2n), { host: B, port });
  await eventually(
    'only the new one answers',
    async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(ledger)));
      return answers.every((answer) => answer === 2n);
    },
    20_000,
  );
  finish.resolve({ postings: 1n });
  expect((await inFlight).postings).toBe(1n);
}, 30_000);

test('a name that cannot be resolved is unavailable at once, and waited for where the call may be repeated', async () => {
  const port = await freePort();
  const addresses: string[] = [];
  const ledger = opened.ledgerNamed(addresses, port);
  expect(await failureOf(ask(ledger))).toMatch(/^unavailable: .*cannot be resolved: no such name/);
  const waiting = ledger.post({});
  await opened.serve(numbered(1n), { host: A, port });
  addresses.push(A);
  expect((await waiting).availableAfterSen).toBe(1n);
});

test('a name of the system is resolved', async () => {
  const port = await freePort();
  await opened.serve(numbered(1n), { host: A, port });
  const ledger = opened.channel({ address: `localhost:${port}`, tls: undefined }).client(LedgerService);
  expect(await ask(ledger)).toBe(1n);
});

test('a name that has more addresses than before is called at all of them; one that cannot be resolved any more at those it had', async () => {
  const port = await freePort();
  const addresses = [A];
  const ledger = opened.ledgerNamed(addresses, port);
  const a = await opened.serve(numbered(1n), { host: A, port });
  await opened.serve(numbered(2n), { host: B, port });
  await opened.serve(numbered(3n), { host: C, port });
  expect(await ask(ledger)).toBe(1n);
  const answering = async () => new Set(await Promise.all(Array.from({ length: 12 }, () => ask(ledger))));
  addresses.push(B, C);
  await eventually('all three answer', async () => (await answering()).size === 3, 15_000);
  addresses.length = 0;
  // A lane that goes has the name resolved again, now in vain.
  await a.close();
  await sleep(2_500);
  expect(await answering()).toEqual(new Set([2n, 3n]));
});

test('an address that nobody can be spoken to at is tried now and then, however many calls there are', async () => {
  const port = await freePort();
  let attempts = 0;
  const dead = createServer((socket) => {
    attempts++;
    socket.destroy();
  });
  dead.listen(port, A);
  await once(dead, 'listening');
  const ledger = opened.ledgerNamed([A], port);
  const endMs = performance.now() + 2_500;
  let failures = 0;
  while (performance.now() < endMs) {
    await failureOf(ask(ledger)).then(() => failures++);
    await sleep(1);
  }
  dead.close();
  await once(dead, 'close');
  expect(failures).toBeGreaterThan(50);
  expect(attempts).toBeGreaterThan(2);
  // With the shortest pauses there is time for 13 lanes; gRPC connects once more for each where the first connection breaks.
  expect(attempts).toBeLessThanOrEqual(26);
});
