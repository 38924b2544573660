import { expect, test } from 'vitest';
import { retryDelayMs } from './schedule.ts';

const SECONDS = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200];

test.each(SECONDS.map((seconds, i) => [i + 1, seconds] as const))('after failure %i it is %i s, ±10 %%', (failures, seconds) => {
  const at = (chance: number, sandbox = false) => retryDelayMs(failures, { sandbox, chance: () => chance });
  expect(at(0)).toBe(seconds * 900);
  expect(at(0.5)).toBe(seconds * 1_000);
  expect(at(0.999999)).toBeLessThanOrEqual(seconds * 1_100);
  expect(at(0.5, true)).toBe(seconds * 100);
});

test('there is no tenth attempt', () => {
  expect(retryDelayMs(9, { sandbox: false, chance: () => 0.5 })).toBeUndefined();
});
