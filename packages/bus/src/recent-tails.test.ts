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

test('of more than may be kept, the half that was noted first is forgotten', () => {
  const tails = createRecentTails(6_000);
  const ids = Array.from({ length: 100 }, (_, index) => `t${index}`);
  for (const id of ids) tails.note('things', written(id, 1n));
  const kept = ids.filter((id) => tails.take('things', id, 1n) !== undefined);
  expect(kept).toEqual(ids.slice(-kept.length));
  expect(kept.length).toBeGreaterThanOrEqual(4);
  expect(kept.length).toBeLessThanOrEqual(7);
});

test('a tail noted again counts from then', () => {
  const tails = createRecentTails(6_000);
  tails.note('things', written('a', 1n));
  for (const id of ['b', 'c', 'd']) tails.note('things', written(id, 1n));
  tails.note('things', written('a', 1n, 2n));
  expect(tails.take('things', 'a', 2n)).toEqual(written('a', 1n, 2n));
  expect(tails.take('things', 'a', 1n)).toBeUndefined();
});
