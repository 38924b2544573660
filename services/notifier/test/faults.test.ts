import { createHash, createHmac } from 'node:crypto';
import { eventually } from '@gerbang/testkit';
import { beforeEach, expect, test } from 'vitest';
import { forEachTest } from './each-test.ts';
import { referenceOf, type Sink, type World } from './world.ts';

const open = forEachTest();
let world: World;
let sink: Sink;
/** What the sink answers; each test may change it. */
let answer: Parameters<typeof open.sink>[0];

beforeEach(async () => {
  answer = () => 200;
  world = await open.world();
  sink = await open.sink((...args) => answer?.(...args) ?? 200);
  world.merchants.set('m1', { partnerId: 'p', secret: 's', url: () => sink.url });
});

const received = () => new Set(sink.got.map(referenceOf));

test('a restart in the middle loses nothing', async () => {
  answer = (_, count) => (count === 1 ? 503 : 200);
  const first = await world.startNotifier();
  for (let i = 0; i < 10; i++) await world.finish('m1');
  await eventually('some attempts', () => sink.got.length >= 3);
  await first.close();
  for (let i = 0; i < 10; i++) await world.finish('m1');
  await world.startNotifier();
  await eventually(
    'everything',
    async () => (await world.stored()).filter(({ status }) => status === 'delivered').length === 20,
    15_000,
  );
  expect(received().size).toBe(20);
  expect(sink.overlapping).toBe(0);
});

test('two replicas share the work and never attempt one delivery at the same time', async () => {
  answer = async (_, count) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return count < 3 ? 500 : 200;
  };
  await Promise.all([world.startNotifier(), world.startNotifier()]);
  for (let i = 0; i < 30; i++) await world.finish('m1', { ends: 2 });
  await eventually(
    'everything',
    async () => {
      world.clock.setOffset(world.clock.offsetMs() + 500);
      return (await world.stored()).filter(({ status }) => status === 'delivered').length === 60;
    },
    20_000,
  );
  expect(sink.overlapping).toBe(0);
  expect(sink.got).toHaveLength(180);
});

test('NATS and its whole store lost in the middle: everything arrives, stored once', async () => {
  await world.startNotifier();
  for (let i = 0; i < 5; i++) await world.finish('m1');
  await eventually('the first ones', () => received().size === 5);
  const restarted = world.nats.restart({ loseStore: true });
  for (let i = 0; i < 5; i++) await world.finish('m1');
  await restarted;
  for (let i = 0; i < 5; i++) await world.finish('m1');
  await eventually('all of them', () => received().size === 15, 25_000);
  expect(await world.stored()).toHaveLength(15);
}, 40_000);

test('while the merchant service is down nothing is confirmed; when it is back everything arrives', async () => {
  await world.stopMerchant();
  const notifier = await world.startNotifier();
  const reference = await world.finish('m1');
  const ready = await fetch(`http://127.0.0.1:${notifier.adminPort}/readyz`);
  expect(ready.status).toBe(200);
  await world.startMerchant();
  await eventually('the webhook', () => received().has(`${reference}#1`));
  await eventually('the confirmation', async () => (await world.transfers.find(reference))?.tail.length === 0);
});

test('it starts without NATS and continues when NATS is there', async () => {
  await world.nats.stop();
  await world.startNotifier();
  await world.nats.restart({ loseStore: true });
  const reference = await world.finish('m1');
  await eventually('the webhook', () => received().has(`${reference}#1`), 15_000);
});

test('it stops at once where there is no NATS', async () => {
  const notifier = await world.startNotifier({ NATS_URL: 'nats://127.0.0.1:1' });
  const startMs = performance.now();
  await notifier.close();
  expect(performance.now() - startMs).toBeLessThan(3_000);
});

test('stopping finishes the attempts in flight', async () => {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  answer = async () => {
    arrived.resolve();
    await released.promise;
    return 200;
  };
  const notifier = await world.startNotifier();
  await world.finish('m1');
  await arrived.promise;
  const closing = notifier.close();
  released.resolve();
  await closing;
  expect((await world.stored()).map(({ status }) => status)).toEqual(['delivered']);
});

test('after the death of a process during an attempt, another one makes it when the lease has ended', async () => {
  const notifier = await world.startNotifier();
  await world.finish('m1');
  await eventually('delivered', async () => (await world.stored())[0]?.status === 'delivered');
  await notifier.close();
  // As a crash between the attempt and its record leaves the document.
  const due = { status: 'pending', failures: 0, next_attempt_at: new Date(1), due_at: new Date(1), attempts: [] };
  await world.deliveries.updateMany({}, { $set: { ...due, lease_until: new Date(Date.now() + 1_500) } });
  await world.startNotifier();
  const startMs = Date.now();
  await eventually('attempted again', () => sink.got.length === 2);
  expect(Date.now() - startMs).toBeGreaterThan(1_000);
});

test('deliveries that an earlier version has stored are attempted, signed and redelivered', async () => {
  const notifier = await world.startNotifier();
  await world.finish('m1');
  await world.finish('m1');
  await eventually('delivered', async () => {
    const stored = await world.stored();
    return stored.length === 2 && stored.every(({ status }) => status === 'delivered');
  });
  await notifier.close();
  // The earlier version knew neither field.
  await world.deliveries.updateMany({}, { $unset: { endpoint: '', body_hash: '' } });
  const [one, other] = await world.stored();
  const due = { status: 'pending', failures: 0, next_attempt_at: new Date(1), due_at: new Date(1), attempts: [] };
  await world.deliveries.updateOne({ _id: one?._id ?? '' }, { $set: due });
  const next = await world.startNotifier();
  const hooksOf = (id = '') => sink.got.filter(({ headers }) => headers['x-event-id'] === id);
  const hook = await eventually('attempted', () => hooksOf(one?._id)[1]);
  const { authorization, 'x-timestamp': timestamp, 'x-signature': signature } = hook.headers;
  const token = String(authorization).slice('Bearer '.length);
  const hashed = createHash('sha256').update(hook.text).digest('hex');
  const toSign = `POST:${hook.path}:${token}:${hashed}:${timestamp}`;
  expect(signature).toBe(createHmac('sha512', 's').update(toSign).digest('hex'));
  await next.rpc.redeliver({ merchantId: 'm1', id: other?._id ?? '', clientId: 'c' });
  await eventually('redelivered', () => hooksOf(other?._id).length === 2);
});

test('a merchant whose settings cannot be read delays no other merchant, and loses nothing', async () => {
  world.broken.add('m2');
  world.merchants.set('m2', { partnerId: 'p', secret: 's', url: () => sink.url });
  await world.startNotifier();
  const held = await world.finish('m2', { ends: 2 });
  const others = await Promise.all([1, 2, 3].map(() => world.finish('m1')));
  await eventually('the others', () => others.every((reference) => received().has(`${reference}#1`)));
  expect((await world.transfers.find(held))?.tail).toHaveLength(2);
  world.broken.delete('m2');
  await eventually('both of the held one', () => received().has(`${held}#2`));
  await eventually('the confirmation', async () => (await world.transfers.find(held))?.tail.length === 0);
});
