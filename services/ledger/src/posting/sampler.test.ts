import { expect, it } from 'vitest';
import { createSampler } from './sampler.ts';

it('a sampler says yes to as many as told in each second', () => {
  let nowMs = 5_000;
  const sample = createSampler(2, () => nowMs);
  expect([sample(), sample(), sample()]).toEqual([true, true, false]);
  nowMs = 5_999;
  expect(sample()).toBe(false);
  nowMs = 6_000;
  expect([sample(), sample(), sample()]).toEqual([true, true, false]);
});
