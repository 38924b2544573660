import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createClockFollowers } from '../src/clock/followers.ts';

const LONG_MS = 60_000;

/** Whether a promise has been fulfilled by now. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, pending))])) !== pending;
}

test('a notification wakes all and waits until each has come back with the offset', async () => {
  const followers = createClockFollowers();
  const [a, b] = [new Socket(), new Socket()];
  const polls = [followers.wait(a, 0, LONG_MS), followers.wait(b, 0, LONG_MS)];
  const notified = followers.notify(10, LONG_MS);
  await Promise.all(polls);
  void followers.wait(a, 10, LONG_MS);
  void followers.wait(a, 10, LONG_MS);
  expect(await isDone(notified)).toBe(false);
  void followers.wait(b, 5, LONG_MS);
  expect(await isDone(notified)).toBe(false);
  void followers.wait(b, 10, LONG_MS);
  expect(await notified).toBe(0);
  followers.release();
});

test('a follower may come back over another connection', async () => {
  const followers = createClockFollowers();
  const poll = followers.wait(new Socket(), 0, LONG_MS);
  const notified = followers.notify(10, LONG_MS);
  await poll;
  void followers.wait(new Socket(), 10, LONG_MS);
  expect(await notified).toBe(0);
  followers.release();
});

test('one that closes its connection is not waited for', async () => {
  const followers = createClockFollowers();
  const [here, leaving, gone] = [new Socket(), new Socket(), new Socket()];
  const polls = [here, leaving, gone].map((socket) => followers.wait(socket, 0, LONG_MS));
  gone.destroy();
  await polls[2];
  const notified = followers.notify(10, LONG_MS);
  leaving.destroy();
  void followers.wait(here, 10, LONG_MS);
  expect(await notified).toBe(0);
  followers.release();
});

test('patience ends: a follower that does not come back is counted', async () => {
  const followers = createClockFollowers();
  const poll = followers.wait(new Socket(), 0, LONG_MS);
  expect(await followers.notify(10, 20)).toBe(1);
  await poll;
});

test('nobody follows: nothing to wait for', async () => {
  expect(await createClockFollowers().notify(10, LONG_MS)).toBe(0);
});

test('a poll ends after its time, and all end on release', async () => {
  const followers = createClockFollowers();
  const socket = new Socket();
  await followers.wait(socket, 0, 5);
  const poll = followers.wait(socket, 0, LONG_MS);
  followers.release();
  await poll;
  await followers.wait(socket, 0, LONG_MS);
});
