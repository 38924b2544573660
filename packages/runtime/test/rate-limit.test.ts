import { expect, test } from 'vitest';
import { createRateLimiter } from '../src/rate-limit.ts';

test('tells how long a key has to wait, without counting', () => {
  let nowMs = 0;
  const limiter = createRateLimiter(2, () => nowMs);
  for (let asked = 0; asked < 5; asked++) expect(limiter.wait('a')).toBeUndefined();
  limiter.count('a');
  expect(limiter.wait('a')).toBeUndefined();
  limiter.count('a');
  nowMs = 20_000;
  expect(limiter.wait('a')).toBe(40_000);
  expect(limiter.wait('b')).toBeUndefined();
  nowMs = 60_000;
  expect(limiter.wait('a')).toBeUndefined();
});
