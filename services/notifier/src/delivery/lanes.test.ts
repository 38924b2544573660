import { expect, test } from 'vitest';
import { createLanes, type Job } from './lanes.ts';

/** A job that runs until told how it ends. */
function job(startBeforeMs = Number.POSITIVE_INFINITY) {
  const ended = Promise.withResolvers<boolean>();
  const seen = { started: false, expired: false };
  const made: Job = {
    startBeforeMs,
    run: () => {
      seen.started = true;
      return ended.promise;
    },
    expire: async () => {
      seen.expired = true;
    },
  };
  return { job: made, seen, end: (ok: boolean) => ended.resolve(ok) };
}

/** Lets everything that is ready run. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test('an endpoint has its bound; another one does not wait behind it', async () => {
  const lanes = createLanes({ perEndpoint: 2, overall: 100 });
  const slow = [job(), job(), job()];
  for (const each of slow) expect(lanes.offer('slow', each.job)).toBeUndefined();
  expect(slow.map(({ seen }) => seen.started)).toEqual([true, true, false]);
  const other = job();
  lanes.offer('other', other.job);
  expect(other.seen.started).toBe(true);
  slow[0]?.end(true);
  await settle();
  expect(slow[2]?.seen.started).toBe(true);
  for (const each of [...slow, other]) each.end(true);
  await lanes.close();
});

test('what would wait too long is told when to come back, later and later', () => {
  const lanes = createLanes({ perEndpoint: 1, overall: 100 });
  const answers: (number | undefined)[] = [];
  for (let i = 0; i < 400; i++) answers.push(lanes.offer('busy', job().job));
  const refused = answers.filter((wait) => wait !== undefined);
  expect(answers.slice(0, 50)).toEqual(Array.from({ length: 50 }, () => undefined));
  expect(refused.length).toBeGreaterThan(100);
  for (const wait of refused) {
    expect(wait).toBeGreaterThanOrEqual(1_000);
    expect(wait).toBeLessThanOrEqual(60_000);
  }
  expect(refused.at(-1)).toBeGreaterThan(refused[0] ?? Number.POSITIVE_INFINITY);
});

test('the process has a bound too', async () => {
  const lanes = createLanes({ perEndpoint: 2, overall: 3 });
  const jobs = ['a', 'b', 'c', 'd'].map((endpoint) => ({ endpoint, ...job() }));
  const answers = jobs.map(({ endpoint, job: each }) => lanes.offer(endpoint, each));
  expect(answers.map((wait) => wait === undefined)).toEqual([true, true, true, false]);
  jobs[0]?.end(true);
  await settle();
  const again = job();
  expect(lanes.offer('d', again.job)).toBeUndefined();
  for (const each of [...jobs, again]) each.end(true);
  await lanes.close();
});

test('an endpoint that keeps failing gets one attempt at a time until one succeeds', async () => {
  const lanes = createLanes({ perEndpoint: 4, overall: 100 });
  for (let i = 0; i < 5; i++) {
    const failing = job();
    lanes.offer('dead', failing.job);
    failing.end(false);
    await settle();
  }
  const probes = [job(), job(), job()];
  for (const each of probes) lanes.offer('dead', each.job);
  expect(probes.map(({ seen }) => seen.started)).toEqual([true, false, false]);
  probes[0]?.end(true);
  await settle();
  expect(probes.map(({ seen }) => seen.started)).toEqual([true, true, true]);
  for (const each of probes) each.end(true);
  await lanes.close();
});

test('what has waited beyond its lease is given back, and so is what waits when closing; closing waits for the rest', async () => {
  const lanes = createLanes({ perEndpoint: 1, overall: 100 });
  const [running, late, next, last] = [job(), job(performance.now() - 1), job(), job()];
  for (const each of [running, late, next, last]) lanes.offer('e', each.job);
  running.end(true);
  await settle();
  expect([late.seen, next.seen]).toEqual([
    { started: false, expired: true },
    { started: true, expired: false },
  ]);
  let closed = false;
  const closing = lanes.close().then(() => {
    closed = true;
  });
  await settle();
  expect([last.seen.expired, closed]).toEqual([true, false]);
  next.end(true);
  await closing;
  expect(lanes.offer('e', job().job)).toBe(0);
});
