import { expect, test } from 'vitest';
import { BackgroundWork } from '../src/index.ts';

test('draining waits for what is under way, and for nothing where nothing is', async () => {
  const background = new BackgroundWork();
  await background.settled();
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  background.add(first.promise);
  background.add(second.promise);
  const order: string[] = [];
  const drained = Promise.all([background.settled(), background.settled()]).then(() => order.push('drained'));
  first.resolve();
  await first.promise.then(() => order.push('first'));
  second.resolve();
  await second.promise.then(() => order.push('second'));
  await drained;
  expect(order).toEqual(['first', 'second', 'drained']);
  await background.settled();
});
