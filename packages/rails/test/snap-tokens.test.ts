import { expect, test } from 'vitest';
import { createSnapTokens } from '../src/snap-tokens.ts';

/** A bank that issues t1, t2, … each when it is told to. */
function bank(lifetimeMs: number) {
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const time = { nowMs: 0 };
  let issued = 0;
  const issue = async () => {
    await new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
    issued++;
    return { accessToken: `t${issued}`, lifetimeMs };
  };
  return { tokens: createSnapTokens(issue, () => time.nowMs), waiting, time };
}
const never = new AbortController().signal;

test('calls that come together share one request, and the token afterwards', async () => {
  const { tokens, waiting } = bank(900_000);
  const all = Promise.all([tokens.get(never), tokens.get(never), tokens.get(never)]);
  expect(waiting).toHaveLength(1);
  waiting[0]?.resolve();
  expect(await all).toEqual(['t1', 't1', 't1']);
  expect(await tokens.get(never)).toBe('t1');
  expect(waiting).toHaveLength(1);
});

test.each([
  [900_000, 839_999, 840_000],
  [100_000, 79_999, 80_000],
])('a token of %i ms is used until %i and renewed at %i', async (lifetimeMs, lastMs, renewedMs) => {
  const { tokens, waiting, time } = bank(lifetimeMs);
  const first = tokens.get(never);
  waiting[0]?.resolve();
  await first;
  time.nowMs = lastMs;
  expect(await tokens.get(never)).toBe('t1');
  time.nowMs = renewedMs;
  const second = tokens.get(never);
  waiting[1]?.resolve();
  expect(await second).toBe('t2');
});

test('a refused token is forgotten, unless there is a newer one', async () => {
  const { tokens, waiting } = bank(900_000);
  const first = tokens.get(never);
  waiting[0]?.resolve();
  tokens.forget(await first);
  const second = tokens.get(never);
  waiting[1]?.resolve();
  expect(await second).toBe('t2');
  tokens.forget('t1');
  expect(await tokens.get(never)).toBe('t2');
});

test('who gives up waiting stops nobody else; a request that failed is made anew', async () => {
  const { tokens, waiting } = bank(900_000);
  const impatient = new AbortController();
  const first = tokens.get(impatient.signal);
  const second = tokens.get(never);
  impatient.abort(new Error('enough'));
  await expect(first).rejects.toThrow('enough');
  waiting[0]?.reject(new Error('the bank is down'));
  await expect(second).rejects.toThrow('the bank is down');
  const third = tokens.get(never);
  waiting[1]?.resolve();
  expect(await third).toBe('t1');
  await expect(tokens.get(impatient.signal)).rejects.toThrow('enough');
});
