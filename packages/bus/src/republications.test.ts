import { expect, test } from 'vitest';
import { createRepublications } from './republications.ts';

const startOf = (_id: string, seq = 1n) => ({ _id, tail: [{ seq }] });

test('what stays unconfirmed is published again, each time after twice as long, up to half a minute', () => {
  let nowMs = 0;
  const republications = createRepublications(() => nowMs);
  const times: number[] = [];
  for (; nowMs <= 120_000; nowMs += 1_000) {
    if (republications.isDue('things', startOf('a'))) {
      times.push(nowMs / 1_000);
      republications.published('things', startOf('a'));
    }
    republications.roundIsOver();
  }
  expect(times).toEqual([0, 3, 9, 21, 45, 75, 105]);
});

test('what was confirmed meanwhile begins anew', () => {
  let nowMs = 0;
  const republications = createRepublications(() => nowMs);
  republications.published('things', startOf('a'));
  republications.roundIsOver();
  expect(republications.isDue('things', startOf('a'))).toBe(false);
  republications.roundIsOver();
  republications.roundIsOver();
  nowMs = 1;
  expect(republications.isDue('things', startOf('a'))).toBe(true);
});

test('what is remembered is bounded: the one published longest ago is forgotten', () => {
  const republications = createRepublications(() => 0);
  for (let i = 0; i <= 20_000; i++) republications.published('things', startOf(`${i}`));
  expect(republications.isDue('things', startOf('0'))).toBe(true);
  expect(republications.isDue('things', startOf('1'))).toBe(false);
});

test('a tail whose beginning was confirmed is not kept waiting for what was published of it', () => {
  const republications = createRepublications(() => 0);
  republications.published('things', startOf('a', 1n));
  expect(republications.isDue('things', startOf('a', 2n))).toBe(true);
});
