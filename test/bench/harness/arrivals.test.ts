import { expect, test } from 'vitest';
import { arrivals } from './arrivals.ts';

const options = { perSecond: 1_000, durationMs: 60_000, seed: 7 };

test('arrivals ascend within their time', () => {
  const times = [...arrivals(options)];
  expect(times.every((time, index) => time >= (times[index - 1] ?? 0))).toBe(true);
  expect(times.at(0)).toBeGreaterThanOrEqual(0);
  expect(times.at(-1)).toBeLessThan(60_000);
});

test('there are as many as asked for, and their gaps are those of independent callers', () => {
  const times = [...arrivals(options)];
  // Of 60,000 expected ones the standard deviation is 245.
  expect(Math.abs(times.length - 60_000)).toBeLessThan(1_225);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  // Of exponential gaps with mean 1, e^-1 are longer than the mean and e^-3 longer than three times that.
  const longer = (ms: number) => gaps.filter((gap) => gap > ms).length / gaps.length;
  expect(longer(1)).toBeCloseTo(Math.exp(-1), 2);
  expect(longer(3)).toBeCloseTo(Math.exp(-3), 2);
});

test('the seed decides the schedule', () => {
  expect(arrivals(options)).toEqual(arrivals(options));
  expect(arrivals({ ...options, seed: 8 })).not.toEqual(arrivals(options));
});

test.each([0, -1, Number.NaN])('%d a second is no rate', (perSecond) => {
  expect(() => arrivals({ ...options, perSecond })).toThrow('no schedule');
});
