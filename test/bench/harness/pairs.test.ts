import { expect, test } from 'vitest';
import type { Turn } from './benchmark.ts';
import { intervalOfMedian, measurePairs, renderPairs } from './pairs.ts';

const eleven = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

test.each([
  // Of eleven values the median lies between the second and the tenth with 98.8 %, between the third and the ninth with 93.5 %.
  [eleven, 2, 10],
  [eleven.slice(0, 6), 1, 6],
  [eleven.slice(0, 3), 1, 3],
  [Array.from({ length: 20 }, (_, i) => i + 1), 6, 15],
])('the interval of the median of %j', (values, low, high) => {
  expect(intervalOfMedian(values)).toEqual({ low, high });
});

test('both sides are warmed up and measured by turns, in changing order', async () => {
  const order: string[] = [];
  const turn = (name: string, perSecond: number): Turn => ({
    durationMs: 10,
    async measure(ms) {
      order.push(`${name} ${ms}`);
      return { perSecond };
    },
  });
  const [compared] = await measurePairs(
    { posts: { ours: turn('ours', 90), theirs: turn('theirs', 100) } },
    { figures: ['posts.perSecond'], pairs: 3, say: () => {} },
  );
  expect(order).toEqual(['ours 5', 'theirs 5', 'ours 10', 'theirs 10', 'theirs 10', 'ours 10', 'ours 10', 'theirs 10']);
  expect(compared).toMatchObject({ figure: 'posts.perSecond', median: 0.9, low: 0.9, high: 0.9 });
  expect(renderPairs(compared === undefined ? [] : [compared], 0.97)).toContain('DOES NOT REACH 0.97');
  expect(renderPairs(compared === undefined ? [] : [compared], 0.9)).toContain('reaches 0.9');
});
