import { Binary } from 'mongodb';
import { expect, test } from 'vitest';
import type { Tailed } from './publisher.ts';
import { createRecentTails } from './recent-tails.ts';

function written(_id: string, ...seqs: bigint[]): Tailed {
  const tail = seqs.map((seq) => ({
    seq,
    event: 'made',
    schema: 1,
    at: new Date(0),
    payload: new Binary(new Uint8Array(488)),
    traceparent: '',
  }));
  return { _id, merchant_id: 'm1', tail };
}

test('a tail is known up to its newest event, and no further', () => {
  const tails = createRecentTails();
  tails.note('things', written('a', 3n, 4n));
  expect(tails.take('things', 'a', 3n)).toEqual(written('a', 3n, 4n));
  expect(tails.take('things', 'a', 4n)).toEqual(written('a', 3n, 4n));
  expect(tails.take('things', 'a', 4n)).toBeUndefined();
  tails.note('things', written('b', 1n));
  expect(tails.take('things', 'b', 2n)).toBeUndefined();
  expect(tails.take('others', 'b', 1n)).toBeUndefined();
});

test('what is noted of an aggregate replaces what was', () => {
  const tails = createRecentTails();
  tails.note('things', written('a', 1n));
  tails.note('things', written('a', 1n, 2n));
  expect(tails.take('things', 'a', 2n)).toEqual(written('a', 1n, 2n));
});

test('of more than it may keep, the tails noted longest ago are forgotten', () => {
  const tails = createRecentTails(2_500);
  for (const id of ['a', 'b', 'a', 'c']) tails.note('things', written(id, 1n));
  const isKnown = (id: string) => tails.take('things', id, 1n) !== undefined;
  expect(['a', 'b', 'c'].map(isKnown)).toEqual([true, false, true]);
  tails.note('things', written('large', 1n, 2n, 3n));
  expect(isKnown('large')).toBe(false);
});
