import { expect, test } from 'vitest';
import { createProgress } from './progress.ts';

const ended = (progress: ReturnType<typeof createProgress>, aggregate: string, ...seqs: bigint[]) => {
  for (const seq of seqs) progress.ended({ aggregate, seq });
  return progress.endedUpTo(aggregate);
};

test('only events that end one after the other, from the first on, are known to have ended', () => {
  const progress = createProgress();
  expect(progress.endedUpTo('a')).toBe(0n);
  expect(ended(progress, 'a', 1n, 2n)).toBe(2n);
  expect(ended(progress, 'a', 2n, 1n)).toBe(2n);
  expect(ended(progress, 'a', 4n)).toBe(2n);
  expect(ended(progress, 'b', 2n)).toBe(0n);
});

test('the aggregate whose newest event ended the longest time ago is forgotten first', () => {
  const progress = createProgress();
  ended(progress, 'old', 1n);
  ended(progress, 'used', 1n);
  for (let i = 0; i < 19_998; i++) ended(progress, String(i), 1n);
  ended(progress, 'used', 2n);
  ended(progress, 'new', 1n);
  expect([progress.endedUpTo('old'), progress.endedUpTo('used'), progress.endedUpTo('0')]).toEqual([0n, 2n, 1n]);
});
