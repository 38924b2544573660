import { newUlid } from '@gerbang/core';
import { eventually } from '@gerbang/testkit';
import { beforeEach, expect, test } from 'vitest';
import { forEachTest } from './each-test.ts';
import { referenceOf, type World } from './world.ts';

const open = forEachTest();
let world: World;

beforeEach(async () => {
  world = await open.world();
});

const sinkFor = (merchantId: string, answer?: Parameters<typeof open.sink>[0]) => open.sinkOf(world, merchantId, answer);

/** Makes pending, due copies of a merchant's delivered webhook; two events a transaction. */
async function backlog(merchantId: string, count: number) {
  const one = (await world.stored()).find((document) => document.merchant_id === merchantId);
  if (one === undefined) throw new Error('there is nothing to copy');
  const dueAt = new Date(world.clock.now() - 60_000);
  const due = { status: 'pending', failures: 0, next_attempt_at: dueAt, due_at: dueAt, attempts: [] };
  const documents = Array.from({ length: count }, (_, i) => ({
    ...one,
    ...due,
    _id: newUlid(world.clock.now()),
    aggregate: `money-out:transfers:copy${i >> 1}`,
    seq: BigInt((i % 2) + 1),
    body: JSON.stringify({ event: 'disbursement', data: { reference_number: `${i >> 1}#${(i % 2) + 1}` } }),
    body_hash: undefined,
  }));
  await world.deliveries.insertMany(documents, { ignoreUndefined: true });
}

test('the long backlog of one merchant hardly delays another one’s webhook, and keeps its order', async () => {
  const busy = await sinkFor('busy');
  const quiet = await sinkFor('quiet');
  const first = await world.startNotifier();
  await world.finish('busy');
  await world.finish('quiet');
  await eventually('both', async () => (await world.stored()).filter(({ status }) => status === 'delivered').length === 2);
  await first.close();
  await backlog('busy', 3_000);
  busy.got.length = 0;
  quiet.got.length = 0;
  await backlog('quiet', 1);
  await world.startNotifier();
  await eventually('the single one', () => quiet.got.length === 1);
  expect(busy.got.length).toBeLessThan(1_000);
  await world.finish('quiet');
  await eventually('a new one', () => quiet.got.length === 2);
  expect(busy.got.length).toBeLessThan(2_900);
  await eventually('all', () => busy.got.length === 3_000, 50_000);
  const references = busy.got.map(referenceOf);
  const at = new Map(references.map((reference, i) => [reference, i]));
  expect(at.size).toBe(3_000);
  for (let i = 0; i < 1_500; i++) expect(at.get(`${i}#1`)).toBeLessThan(at.get(`${i}#2`) ?? -1);
}, 90_000);

test('two endpoints of one merchant are apart', async () => {
  const dead = await open.sink(() => new Promise<number>(() => {}));
  const live = await open.sink();
  const changedAtMs = world.clock.now();
  world.merchants.set('m', { partnerId: 'p', secret: 's', url: (atMs) => (atMs < changedAtMs ? dead.url : live.url) });
  await world.startNotifier();
  for (let i = 0; i < 10; i++) await world.finish('m', { atMs: changedAtMs - 1 });
  await eventually('the dead one has its share', () => dead.got.length === 2);
  for (let i = 0; i < 10; i++) await world.finish('m');
  await eventually('the live one has all', () => live.got.length === 10);
  expect(dead.got).toHaveLength(2);
});

test('an open breaker neither skips nor moves an attempt: each is made when it is due, one at a time', async () => {
  let underWay = 0;
  let most = 0;
  const failing = await sinkFor('m', async () => {
    most = Math.max(most, ++underWay);
    await new Promise(setImmediate);
    underWay--;
    return 500;
  });
  const notifier = await world.startNotifier();
  for (let i = 0; i < 6; i++) await world.finish('m');
  await eventually('all were refused once', () => failing.got.length === 6);
  const deliveries = async () => (await notifier.rpc.listDeliveries({ merchantId: 'm', limit: 10 })).deliveries;
  most = 0;
  for (const attempts of [2, 3, 4]) {
    const before = await eventually(`${attempts - 1} attempts each`, async () => {
      const found = await deliveries();
      return found.every((one) => one.attempts.length === attempts - 1) && found;
    });
    const due = new Map(before.map(({ id, nextAttemptAtMs }) => [id, Number(nextAttemptAtMs)]));
    world.clock.setOffset(world.clock.offsetMs() + Math.max(...due.values()) - world.clock.now());
    const after = await eventually(`${attempts} attempts each`, async () => {
      const found = await deliveries();
      return found.every((one) => one.attempts.length === attempts) && found;
    });
    for (const { id, attempts: made } of after) {
      expect(Number(made.at(-1)?.atMs)).toBeGreaterThanOrEqual(due.get(id) ?? Number.POSITIVE_INFINITY);
    }
  }
  expect(most).toBe(1);
});
