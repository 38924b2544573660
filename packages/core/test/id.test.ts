import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isUlid, newUlid, ulidFrom, ulidTimeMs } from '../src/index.ts';

const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });

test('a ULID is canonical and carries its time', () => {
  fc.assert(
    fc.property(time, (nowMs) => {
      const id = newUlid(nowMs);
      expect(isUlid(id)).toBe(true);
      expect(ulidTimeMs(id)).toBe(nowMs);
    }),
  );
});

test('later ids sort after earlier ones', () => {
  fc.assert(
    fc.property(time, time, (a, b) => {
      fc.pre(a < b);
      expect(newUlid(a) < newUlid(b)).toBe(true);
    }),
  );
});

test('an id made from a name is the same each time, and another for another name', () => {
  expect(ulidFrom(1, 'a')).toBe(ulidFrom(1, 'a'));
  expect(ulidFrom(1, 'a')).not.toBe(ulidFrom(1, 'b'));
});

test.each([
  '',
  'x',
  '01ARZ3NDEKTSV4RRFFQ69G5FA',
  '01arz3ndektsv4rrffq69g5fav',
  '81ARZ3NDEKTSV4RRFFQ69G5FAV',
  '01ARZ3NDEKTSV4RRFFQ69G5FAU',
])('%j is no ULID', (text) => expect(isUlid(text)).toBe(false));
