import { eventually } from '@gerbang/testkit';
import { beforeEach, expect, test } from 'vitest';
import { forEachTest } from './each-test.ts';
import { referenceOf, type Sink, type World } from './world.ts';

/** Much less than the ack wait and the leases, after which everything continues in any case. */
const SOON_MS = 5_000;

const open = forEachTest();
let world: World;

beforeEach(async () => {
  world = await open.world();
});

/** An endpoint that answers nothing before `answer` is called. */
async function openHoldingSink(): Promise<Sink & { answer(status: number): void }> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const sink = await open.sinkOf(world, 'm1', () => promise);
  return { ...sink, answer: resolve };
}

const leased = async () => (await world.stored()).filter(({ lease_by: owner }) => owner !== undefined).length;
const countOf = async (status: string) => (await world.stored()).filter((one) => one.status === status).length;
/** Transfers with events that are not confirmed. */
const unconfirmed = () =>
  world.store.collection('transfers').countDocuments({ 'tail.at': { $type: 'date' }, 'tail.0': { $exists: true } });

async function handedOut(): Promise<number> {
  const { manager } = await world.bus.connected();
  return (await manager.consumers.info('gerbang-money-out', 'notifier')).num_ack_pending;
}

test('replicas that follow each other under a steady flow send everything soon, once and in order', async () => {
  const sink = await open.sinkOf(world, 'm1');
  let replica = await world.startNotifier();
  let flowing = true;
  const references: string[] = [];
  const flow = (async () => {
    while (flowing) references.push(...(await Promise.all([1, 2, 3, 4].map(() => world.finish('m1', { ends: 2 })))));
  })();
  for (let closings = 0; closings < 3; closings++) {
    const sent = sink.got.length;
    await eventually('it sends', () => sink.got.length > sent + 20);
    const next = await world.startNotifier();
    await replica.close();
    replica = next;
  }
  flowing = false;
  await flow;
  await eventually('all', () => sink.got.length >= 2 * references.length, SOON_MS);
  await eventually('no message is handed out', async () => (await handedOut()) === 0, SOON_MS);
  await eventually('everything is confirmed', async () => (await unconfirmed()) === 0, SOON_MS);
  const sent = sink.got.map(referenceOf);
  expect([...sent].sort()).toEqual(references.flatMap((reference) => [`${reference}#1`, `${reference}#2`]).sort());
  expect(references.filter((reference) => sent.indexOf(`${reference}#1`) > sent.indexOf(`${reference}#2`))).toEqual([]);
});

test('a replica that ends releases at once what it has not begun, also later events of a transaction', async () => {
  const sink = await openHoldingSink();
  const first = await world.startNotifier();
  const reference = await world.finish('m1', { ends: 3 });
  await eventually('its first event is under way', () => sink.got.length === 1);
  for (let i = 0; i < 5; i++) await world.finish('m1');
  await eventually('all are in hand', async () => sink.got.length === 2 && (await leased()) === 8);
  const closed = first.close();
  await eventually('the queue is released, except for running attempts', async () => (await leased()) === 4);
  sink.answer(200);
  await closed;
  expect([sink.got.length, await countOf('delivered'), await countOf('pending'), await leased()]).toEqual([2, 2, 6, 0]);
  await world.startNotifier();
  await eventually('the others', async () => (await countOf('delivered')) === 8, SOON_MS);
  const ofOne = sink.got.map(referenceOf).filter((sent) => sent.startsWith(reference));
  expect(ofOne).toEqual([1, 2, 3].map((n) => `${reference}#${n}`));
});

test('a failure is known after the end of the replica whose last attempts the endpoint has refused', async () => {
  const sink = await openHoldingSink();
  const first = await world.startNotifier();
  for (let i = 0; i < 3; i++) await world.finish('m1');
  await eventually('all are in hand', async () => sink.got.length === 2 && (await leased()) === 3);
  const closed = first.close();
  await eventually('it waits for the two that are under way', async () => (await leased()) === 2);
  sink.answer(500);
  await closed;
  expect(await world.notifierStore.collection('endpoints').find().toArray()).toHaveLength(1);
});
