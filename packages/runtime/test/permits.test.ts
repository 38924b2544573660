import { describe, expect, test } from 'vitest';
import { createPermits } from '../src/permits.ts';

describe('permits', () => {
  test('a key gets its share and no more; others are not affected', () => {
    const permits = createPermits({ max: 100, keyMax: 3 });
    expect([1, 2, 3, 4].map(() => permits.take('a'))).toEqual([undefined, undefined, undefined, 'share']);
    expect(permits.take('b')).toBeUndefined();
    permits.give('a');
    expect(permits.take('a')).toBeUndefined();
    expect(permits.taken).toBe(4);
  });

  test('a key never holds more than are still free', () => {
    const permits = createPermits({ max: 16, keyMax: 16 });
    const takeAll = (key: string) => {
      let got = 0;
      while (permits.take(key) === undefined) got++;
      return got;
    };
    expect(['a', 'b', 'c', 'd', 'e'].map(takeAll)).toEqual([8, 4, 2, 1, 1]);
    expect(permits.take('f')).toBe('all');
  });

  test('are taken all or none', () => {
    const permits = createPermits({ max: 10, keyMax: 4 });
    expect(permits.take('a', 5)).toBe('share');
    expect(permits.take('a', 4)).toBeUndefined();
    expect(permits.take('b', 7)).toBe('all');
    permits.give('a', 4);
    expect(permits.taken).toBe(0);
    expect(() => permits.give('a')).toThrow('than were taken');
  });
});
