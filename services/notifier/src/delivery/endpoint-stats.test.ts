import { expect, test } from 'vitest';
import { createEndpointStats } from './endpoint-stats.ts';

test('a summary covers the newest attempts', () => {
  const stats = createEndpointStats();
  for (let i = 0; i < 300; i++) stats.attempted('e', false, 10_000);
  for (let i = 1; i <= 200; i++) stats.attempted('e', i % 4 !== 0, i);
  expect(stats.worst(10)).toEqual([{ endpoint: 'e', attempts: 200, successRatio: 0.75, p50Ms: 101, p99Ms: 199 }]);
});

test('failing endpoints come first, then those with most attempts; and there is a bound', () => {
  const stats = createEndpointStats();
  for (let i = 0; i < 1_500; i++) stats.attempted(`quiet ${i}`, true, 1);
  for (let i = 0; i < 5; i++) stats.attempted('busy', true, 1);
  stats.attempted('failing', false, 1);
  expect(stats.worst(2).map(({ endpoint }) => endpoint)).toEqual(['failing', 'busy']);
  expect(stats.worst(5_000)).toHaveLength(1_000);
});
