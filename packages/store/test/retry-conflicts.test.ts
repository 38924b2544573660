import { RefusalError, refuse } from '@gerbang/core';
import { expect, test } from 'vitest';
import { retryConflicts } from '../src/index.ts';

/** A number that others change for the first times that it is written. */
function contested(times: number) {
  let stored = 0;
  let reads = 0;
  let writes = 0;
  return {
    counts: () => ({ reads, writes }),
    read: async () => {
      reads++;
      return stored;
    },
    write: async (current: number) => {
      writes++;
      if (writes <= times) stored += 10;
      if (current !== stored) return undefined;
      stored = current + 1;
      return stored;
    },
  };
}

test('what was read before is not read again', async () => {
  const number = contested(0);
  expect(await retryConflicts({ first: 0, ...number })).toBe(1);
  expect(number.counts()).toEqual({ reads: 0, writes: 1 });
});

test('a lost write is decided anew on what is there now', async () => {
  const number = contested(3);
  expect(await retryConflicts(number)).toBe(31);
  expect(number.counts()).toEqual({ reads: 4, writes: 4 });
});

test('where others are always faster it ends, and says when to come back', async () => {
  const number = contested(1_000);
  await expect(retryConflicts(number)).rejects.toMatchObject({ refusal: { refused: 'unavailable', retryAfterMs: 1_000 } });
  expect(number.counts().writes).toBe(50);
});

test('a refusal of the decision ends it at once', async () => {
  const refused = retryConflicts({
    read: async () => 0,
    write: async () => {
      throw new RefusalError(refuse('frozen'));
    },
  });
  await expect(refused).rejects.toMatchObject({ refusal: { refused: 'frozen' } });
});
