import { newUlid } from '@gerbang/core';
import { expect, test } from 'vitest';
import { partitionFor } from './partition.ts';

test('new merchants are spread over the partitions, each for good', () => {
  const partitions = ['p0', 'p1', 'p2'];
  const merchants = Array.from({ length: 600 }, (_, i) => newUlid(1_800_000_000_000 + i));
  const counts = partitions.map((one) => merchants.filter((id) => partitionFor(id, partitions) === one).length);
  for (const count of counts) expect(count).toBeGreaterThan(100);
  for (const id of merchants) expect(partitionFor(id, partitions)).toBe(partitionFor(id, partitions));
  expect(partitionFor('any', ['p0'])).toBe('p0');
  expect(() => partitionFor('any', [])).toThrow(/no partition/);
});
