import { afterEach, expect, test, vi } from 'vitest';
import { VersionedCache } from '../src/versioned-cache.ts';

afterEach(() => vi.restoreAllMocks());

/** A cache whose loads the test answers by hand, on a monotonic clock of the test's own. */
function scriptedCache() {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const loads: ((value: { version: bigint } | undefined) => void)[] = [];
  const cache = new VersionedCache<{ version: bigint }>(() => new Promise((resolve) => loads.push(resolve)));
  return { cache, loads, at: (ms: number) => clock.mockReturnValue(ms) };
}

test('a value is believed for 5 s, and for 5 s more after each poll', async () => {
  const { cache, loads, at } = scriptedCache();
  const first = cache.get('a', 'merchant_not_found');
  loads[0]?.({ version: 1n });
  expect(await first).toEqual({ version: 1n });
  at(3_000);
  cache.confirm([], 3_000);
  at(7_999);
  expect(await cache.get('a', 'merchant_not_found')).toEqual({ version: 1n });
  at(8_000);
  const again = cache.get('a', 'merchant_not_found');
  loads[1]?.({ version: 2n });
  expect(await again).toEqual({ version: 2n });
});

test('a value that was read before a change but stored after the poll is not taken for confirmed', async () => {
  const { cache, loads, at } = scriptedCache();
  const slow = cache.get('a', 'merchant_not_found');
  // At 1 s the owner changes it, at 2 s a poll asks, which can't ask after what is not stored yet.
  at(2_500);
  loads[0]?.({ version: 1n });
  await slow;
  cache.confirm([], 2_000);
  at(5_000);
  const again = cache.get('a', 'merchant_not_found');
  loads[1]?.({ version: 2n });
  expect(await again).toEqual({ version: 2n });
});

test('what has changed is read again; what the owner does not know is refused', async () => {
  const { cache, loads } = scriptedCache();
  const first = cache.get('a', 'merchant_not_found');
  loads[0]?.({ version: 1n });
  await first;
  cache.confirm(['a'], 0);
  const again = cache.get('a', 'merchant_not_found');
  loads[1]?.(undefined);
  await expect(again).rejects.toMatchObject({ refusal: { refused: 'merchant_not_found' } });
});

test('what was forgotten is read anew, though an older question is still under way, whose answer does not stay', async () => {
  const { cache, loads } = scriptedCache();
  const older = cache.get('a', 'merchant_not_found');
  cache.forget('a');
  const newer = cache.get('a', 'merchant_not_found');
  loads[1]?.({ version: 2n });
  expect(await newer).toEqual({ version: 2n });
  loads[0]?.({ version: 1n });
  expect(await older).toEqual({ version: 1n });
  expect(await cache.get('a', 'merchant_not_found')).toEqual({ version: 2n });
  // Nor does it when it comes first.
  cache.forget('a');
  const third = cache.get('a', 'merchant_not_found');
  cache.forget('a');
  const fourth = cache.get('a', 'merchant_not_found');
  loads[2]?.({ version: 3n });
  expect(await third).toEqual({ version: 3n });
  expect(cache.versionOf('a')).toBeUndefined();
  const joined = cache.get('a', 'merchant_not_found');
  loads[3]?.({ version: 4n });
  expect([await fourth, await joined]).toEqual([{ version: 4n }, { version: 4n }]);
  expect(loads).toHaveLength(4);
});
