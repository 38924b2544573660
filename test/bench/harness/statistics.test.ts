import { expect, test } from 'vitest';
import { latenciesOf, numbersIn, percentile, rounded, spreadOf } from './statistics.ts';

test('the median is the middle value, or lies between the two middle ones; the span goes from the least to the greatest', () => {
  expect(spreadOf([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
  expect(spreadOf([4, 1, 3, 2])).toEqual({ median: 2.5, min: 1, max: 4 });
  expect(spreadOf([10])).toEqual({ median: 10, min: 10, max: 10 });
});

test('without values, and with one that is missing, there is no median', () => {
  const none = { median: Number.NaN, min: Number.NaN, max: Number.NaN };
  expect(spreadOf([])).toEqual(none);
  expect(spreadOf([1, Number.NaN, 2])).toEqual(none);
});

test.each([
  [0.5, 50],
  [0.99, 99],
  [0.991, 100],
  [1, 100],
  [0, 1],
])('percentile %d of 1 to 100 is %d', (share, expected) => {
  const sorted = Array.from({ length: 100 }, (_, index) => index + 1);
  expect(percentile(sorted, share)).toBe(expected);
});

test('latencies are sorted as numbers, and there may be none', () => {
  expect(latenciesOf([100, 9, 20])).toEqual({ count: 3, p50Ms: 20, p99Ms: 100, maxMs: 100 });
  expect(latenciesOf([])).toEqual({ count: 0, p50Ms: Number.NaN, p99Ms: Number.NaN, maxMs: Number.NaN });
});

test('a figure keeps four significant digits', () => {
  expect([rounded(41_237.9), rounded(0.012345), rounded(7)]).toEqual([41_240, 0.01235, 7]);
});

test('every number of an object is found by its path', () => {
  expect(numbersIn({ a: 1, b: { c: 2, d: { e: 3 } }, text: 'x', none: undefined, list: [4] })).toEqual({
    a: 1,
    'b.c': 2,
    'b.d.e': 3,
    'list.0': 4,
  });
});
