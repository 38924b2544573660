import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeadlines } from './deadlines.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('each ends at its own time, which may be moved, unless it was forgotten before', () => {
  const deadlines = createDeadlines();
  const expired: string[] = [];
  const watch = (name: string, afterMs: number) => {
    const deadline = { untilMs: performance.now() + afterMs, expire: () => void expired.push(name) };
    return { deadline, forget: deadlines.watch(deadline) };
  };
  const first = watch('first', 100);
  const moved = watch('moved', 100);
  const forgotten = watch('forgotten', 100);
  watch('last', 300);
  forgotten.forget();
  moved.deadline.untilMs += 100;
  vi.advanceTimersByTime(150);
  expect(expired).toEqual(['first']);
  // Again, and when it is over: nothing.
  forgotten.forget();
  first.forget();
  vi.advanceTimersByTime(100);
  expect(expired).toEqual(['first', 'moved']);
  vi.advanceTimersByTime(500);
  expect(expired).toEqual(['first', 'moved', 'last']);
});

test('one that expires may forget another', () => {
  const deadlines = createDeadlines();
  const expired: string[] = [];
  let forget = () => {};
  deadlines.watch({
    untilMs: 0,
    expire() {
      expired.push('a');
      forget();
    },
  });
  deadlines.watch({ untilMs: 0, expire: () => void expired.push('b') });
  forget = deadlines.watch({ untilMs: 0, expire: () => void expired.push('forgotten') });
  vi.advanceTimersByTime(100);
  expect(expired).toEqual(['a', 'b']);
});
