import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { eventually, freePort, startTestMongo, type TestMongo } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { booksSchema, environment, newRequest, openRailTo, soon } from './harness.ts';

const MAIN = path.join(import.meta.dirname, '../src/main.ts');

let mongo: TestMongo;
const started: ChildProcess[] = [];

beforeAll(async () => {
  mongo = await startTestMongo();
});

afterAll(async () => {
  for (const child of started) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await mongo?.stop();
});

async function launch(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, ...environment(mongo.uri, mongo.databasePrefix, port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  started.push(child);
  await eventually('it listens', async () => (await fetch(`http://127.0.0.1:${port}/sandbox/clock`)).ok, 20_000);
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals) {
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
  return child.exitCode;
}

test('killed in the middle of many transfers, it has booked each that it answered, and none twice', async () => {
  const port = await freePort();
  const first = await launch(port);
  const rail = openRailTo(`http://127.0.0.1:${port}`);
  await rail.transfer(newRequest(), soon());

  const requests = Array.from({ length: 200 }, () => newRequest());
  let answered = 0;
  const killAt = Promise.withResolvers<void>();
  const calls = Promise.all(
    requests.map(async (request) => {
      const { outcome } = await rail.transfer(request, soon());
      if (outcome === 'succeeded' && ++answered === 40) killAt.resolve();
      return outcome;
    }),
  );
  await killAt.promise;
  await end(first, 'SIGKILL');
  const outcomes = await calls;
  expect(outcomes).toContain('unknown');

  const second = await launch(port);
  const afterwards = await Promise.all(requests.map((request) => rail.inquireTransfer(request, soon())));
  outcomes.forEach((outcome, i) => {
    if (outcome === 'succeeded') expect(afterwards[i]?.outcome).toBe('succeeded');
  });
  const missing = requests.filter((_, i) => afterwards[i]?.outcome === 'not_found');
  const resent = await Promise.all(missing.map((request) => rail.transfer(request, soon())));
  expect(new Set(resent.map(({ outcome }) => outcome))).not.toContain('unknown');

  const response = await fetch(`http://127.0.0.1:${port}/sandbox/rails/bank-transfer/books`);
  const { items } = booksSchema.parse(await response.json());
  for (const { partnerReference } of requests) {
    expect(items.filter((item) => item.transaction_id === partnerReference).map((item) => item.status)).toEqual(['success']);
  }
  await rail.close();
  expect(await end(second, 'SIGTERM')).toBe(0);
});

test('drains on SIGTERM though a call is kept silent and a service follows the clock', async () => {
  const port = await freePort();
  const child = await launch(port);
  const rail = openRailTo(`http://127.0.0.1:${port}`);
  const silent = newRequest('1234560002');
  const calling = rail.transfer(silent, { signal: AbortSignal.timeout(30_000) });
  const following = fetch(`http://127.0.0.1:${port}/sandbox/clock?after=0&wait_ms=30000`);
  await eventually('it is booked', async () => (await rail.inquireTransfer(silent, soon())).outcome === 'pending');
  const startedMs = performance.now();
  expect(await end(child, 'SIGTERM')).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(8_000);
  expect(await calling).toMatchObject({ outcome: 'unknown' });
  expect((await following).ok).toBe(true);
  await rail.close();
});

test('a wrong variable is one line and exit 1', async () => {
  const child = spawn('sh', ['-c', 'ulimit -c 0; exec "$0" --disable-sigusr1 "$1"', process.execPath, MAIN], {
    env: { PATH: process.env.PATH, ...environment(mongo.uri, mongo.databasePrefix, 0), GERBANG_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(text).toBe('simulator: GERBANG_ENV is not valid: the simulator runs in the sandbox only\n');
});
