import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expiredKeys, nextKey, PUBLISHED_BEFORE_MS, type ScheduledKey, signingKeyAt, TOKEN_LIFE_MS } from './key-schedule.ts';

const ROTATION_MS = 86_400_000;

test('the first key signs at once, each later one is published before it does', () => {
  expect(nextKey([], ROTATION_MS, 5_000)).toEqual({ seq: 1, signsFromMs: 5_000 });
  const first = { seq: 1, signsFromMs: 0 };
  expect(nextKey([first], ROTATION_MS, ROTATION_MS - PUBLISHED_BEFORE_MS - 1)).toBeUndefined();
  expect(nextKey([first], ROTATION_MS, ROTATION_MS - PUBLISHED_BEFORE_MS)).toEqual({ seq: 2, signsFromMs: ROTATION_MS });
});

test('at whatever moments keys are looked after: one signs, its successor is not used early, and its key outlives every token', () => {
  const pauses = fc.array(fc.integer({ min: 1, max: 3 * ROTATION_MS }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(pauses, (waits) => {
      let keys: ScheduledKey[] = [];
      let nowMs = 0;
      /** When each key has signed last. */
      const lastUse = new Map<number, number>();
      for (const waitMs of waits) {
        nowMs += waitMs;
        const next = nextKey(keys, ROTATION_MS, nowMs);
        if (next !== undefined) keys = [...keys, next];
        const expired = expiredKeys(keys, nowMs);
        for (const { seq } of expired) expect((lastUse.get(seq) ?? 0) + TOKEN_LIFE_MS).toBeLessThan(nowMs);
        keys = keys.filter((key) => !expired.includes(key));
        const signer = signingKeyAt(keys, nowMs);
        expect(signer).toBeDefined();
        if (signer !== undefined) lastUse.set(signer.seq, nowMs);
      }
    }),
  );
});
