import { expect, test } from 'vitest';
import { Deadlines } from '../src/lanes/deadlines.ts';

const item = (inMs: number) => ({ deadlineMs: performance.now() + inMs, place: -1 });

test('what is deleted does not expire, in whatever order it goes, and what stays does', async () => {
  const items = Array.from({ length: 50 }, (_, index) => item(30 + (index % 7)));
  const gone = items.filter((_, index) => index % 3 === 0);
  const expired = new Set<object>();
  const { promise, resolve } = Promise.withResolvers<void>();
  const deadlines = new Deadlines<(typeof items)[number]>((one) => {
    expired.add(one);
    if (expired.size === items.length - gone.length) resolve();
  });
  for (const one of items) deadlines.add(one);
  for (const one of gone) deadlines.delete(one);
  // Once more changes nothing.
  for (const one of gone) deadlines.delete(one);
  expect(deadlines.size).toBe(items.length - gone.length);
  await promise;
  expect(deadlines.size).toBe(0);
  for (const one of gone) expect(expired.has(one)).toBe(false);
});

test('one that expires may end others whose time has come too', async () => {
  const [first, second, later] = [item(5), item(5), item(60)];
  const expired: object[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const deadlines = new Deadlines<typeof first>((one) => {
    expired.push(one);
    deadlines.delete(one === first ? second : first);
    if (one === later) resolve();
  });
  for (const one of [first, second, later]) deadlines.add(one);
  await promise;
  expect(expired).toHaveLength(2);
  expect(expired).toContain(later);
});
