import { expect, test } from 'vitest';
import { createProgress } from './progress.ts';

const over = (progress: ReturnType<typeof createProgress>, aggregate: string, ...seqs: bigint[]) => {
  for (const seq of seqs) progress.over({ aggregate, seq });
  return progress.overUpTo(aggregate);
};

test('only events that end one after the other, from the first on, are known to be over', () => {
  const progress = createProgress();
  expect(progress.overUpTo('a')).toBe(0n);
  expect(over(progress, 'a', 1n, 2n)).toBe(2n);
  expect(over(progress, 'a', 2n, 1n)).toBe(2n);
  expect(over(progress, 'a', 4n)).toBe(2n);
  expect(over(progress, 'b', 2n)).toBe(0n);
});

test('the aggregate whose newest event has been over for longest is forgotten first', () => {
  const progress = createProgress();
  over(progress, 'old', 1n);
  over(progress, 'used', 1n);
  for (let i = 0; i < 19_998; i++) over(progress, String(i), 1n);
  over(progress, 'used', 2n);
  over(progress, 'new', 1n);
  expect([progress.overUpTo('old'), progress.overUpTo('used'), progress.overUpTo('0')]).toEqual([0n, 2n, 1n]);
});
