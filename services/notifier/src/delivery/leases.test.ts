import { testLog } from '@gerbang/testkit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLeases } from './leases.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets a second pass, and the work that it starts end. */
async function seconds(count: number) {
  for (let i = 0; i < count; i++) {
    vi.advanceTimersByTime(1_000);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
}

test('a long claim is renewed in time; a short one costs nothing', async () => {
  const asked: string[][] = [];
  const leases = createLeases(async (ids) => {
    asked.push([...ids]);
    return new Set(ids);
  }, testLog());
  leases.hold('long', performance.now());
  leases.hold('short', performance.now());
  await seconds(2);
  leases.release('short');
  await seconds(28);
  expect(asked.flat()).not.toContain('short');
  expect(asked.length).toBeGreaterThanOrEqual(9);
  expect([leases.valid('long'), leases.holds('long'), leases.valid('short')]).toEqual([true, true, false]);
  await leases.close();
});

test('a claim that another replica has taken or that cannot be renewed ends before its lease does', async () => {
  let answer: () => Promise<ReadonlySet<string>> = async () => new Set(['ours']);
  const leases = createLeases(() => answer(), testLog());
  leases.hold('ours', performance.now());
  leases.hold('theirs', performance.now());
  await seconds(8);
  expect([leases.valid('ours'), leases.valid('theirs')]).toEqual([true, true]);
  await seconds(1);
  expect([leases.valid('ours'), leases.valid('theirs')]).toEqual([true, false]);
  answer = () => Promise.reject(new Error('no database'));
  await seconds(9);
  expect(leases.valid('ours')).toBe(false);
  await leases.close();
});
