import { expect, test } from 'vitest';
import type { Hook } from '../support/webhook-sink.ts';
import { announcementsOf } from './disbursement-load.ts';

const hook = (reference: string, atMs: number, code = '00'): Hook => ({
  headers: {},
  url: '/',
  body: { event: 'disbursement', data: { reference_number: reference, transaction_status: { code } } },
  atMs,
});

test('a transfer that is announced again counts once, when it came first', () => {
  const hooks = [hook('a', 10), hook('b', 20), hook('a', 30)];
  const announcements = announcementsOf({ hooks });
  expect([announcements.count(), announcements.by(15), announcements.by(40), announcements.lastMs()]).toEqual([2, 1, 2, 20]);
  hooks.push(hook('b', 50), hook('c', 60));
  expect([announcements.count(), announcements.lastMs()]).toEqual([3, 60]);
});

test('one that has not succeeded is none that may be counted', () => {
  const hooks = [hook('a', 10), hook('b', 20, '06')];
  expect(() => announcementsOf({ hooks }).count()).toThrow('has not succeeded');
});
