import { expect, test } from 'vitest';
import { callWithin } from '../src/index.ts';

test('a call that takes too long has its wait ended', async () => {
  const ended = await callWithin(
    20,
    (signal) => new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('ended'))),
  );
  expect(ended).toBe('ended');
});

test('a call that is answered, or fails, is left alone from then on', async () => {
  const signals: AbortSignal[] = [];
  const answered = callWithin(5, async (signal) => signals.push(signal));
  const failed = callWithin(5, async (signal) => {
    signals.push(signal);
    throw new Error('cut');
  });
  await answered;
  await expect(failed).rejects.toThrow('cut');
  // A timer that was set later has fired: theirs would have.
  await callWithin(20, (signal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())));
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
});
