import { eventually } from '@gerbang/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Position } from '../src/delivery/chains.ts';
import { holdBack } from '../src/delivery/dispatch.ts';
import { openDeliveryStore } from '../src/delivery/store.ts';
import { forEachTest } from './each-test.ts';
import { referenceOf, type Sink, type World } from './world.ts';

/** So far away that nothing but its predecessor's end can wake it. */
const FAR = new Date(Date.now() + 3_600_000);

const open = forEachTest();
let world: World;
let sink: Sink;
/** What the sink waits for before it answers. */
let answered = Promise.withResolvers<void>();

beforeEach(async () => {
  answered = Promise.withResolvers();
  world = await open.world();
  sink = await open.sink(() => answered.promise.then(() => 200));
  world.merchants.set('m1', { partnerId: 'p', secret: 's', url: () => sink.url });
});
// The world's end waits for running attempts, so this comes first.
afterEach(() => answered.resolve());

/** Stores a successor of the only delivery, as another replica may have done. */
async function storeSuccessor(): Promise<string> {
  const [first] = await world.stored();
  if (first === undefined) throw new Error('nothing is stored');
  const { _id, lease_by: _, lease_until: __, awaited: ___, ...rest } = first;
  const successor = `${_id.slice(0, -1)}!`;
  const body = String(rest.body).replace('#1', '#2');
  await world.deliveries.insertOne({ ...rest, _id: successor, status: rest.status, seq: 2n, body, due_at: new Date(1) });
  return successor;
}

/** Both, the first one first. */
const stored = async () => (await world.stored()).sort((a, b) => Number(a.seq) - Number(b.seq));
const received = () => sink.got.map(referenceOf);
const find = (id: string) => world.deliveries.findOne({ _id: id });
const set = (id: string, fields: Record<string, unknown>) => world.deliveries.updateOne({ _id: id }, { $set: fields });

test('the replica that has a delivery in hand wakes the next one, whichever replica has held that back', async () => {
  await Promise.all([world.startNotifier(), world.startNotifier()]);
  const reference = await world.finish('m1');
  await eventually('the first is under way', () => sink.got.length === 1);
  const successor = await storeSuccessor();
  await eventually('it is held back', async () => (await stored())[0]?.awaited);
  await set(successor, { due_at: FAR });
  expect(received()).toEqual([`${reference}#1`]);
  answered.resolve();
  await eventually('both', async () => (await find(successor))?.status === 'delivered');
  expect(received()).toEqual([`${reference}#1`, `${reference}#2`]);
});

test('the mark that an event waits outlives the process that attempts its predecessor', async () => {
  answered.resolve();
  const notifier = await world.startNotifier();
  const reference = await world.finish('m1');
  await eventually('delivered', async () => (await world.stored())[0]?.status === 'delivered');
  await notifier.close();
  // As a crash between the attempt and its record leaves them, when a successor was held back meanwhile.
  const due = { status: 'pending', failures: 0, next_attempt_at: new Date(1), attempts: [] };
  const leased = { lease_by: 'a dead process', lease_until: new Date(Date.now() + 1_000), due_at: new Date(1) };
  await world.deliveries.updateMany({}, { $set: { ...due, ...leased, awaited: true } });
  const successor = await storeSuccessor();
  await set(successor, { due_at: FAR });
  await world.startNotifier();
  await eventually('the successor', async () => (await find(successor))?.status === 'delivered');
  expect(received()).toEqual([`${reference}#1`, `${reference}#1`, `${reference}#2`]);
});

test('a delivery that is held back just when its predecessor ends is woken by the replica that holds it back', async () => {
  answered.resolve();
  const notifier = await world.startNotifier();
  const reference = await world.finish('m1');
  await eventually('delivered', async () => (await world.stored())[0]?.status === 'delivered');
  await notifier.close();
  const successor = await storeSuccessor();
  const due = { status: 'pending', failures: 0, next_attempt_at: new Date(1) };
  await set(successor, due);

  const deliveries = await openDeliveryStore(world.notifierStore);
  const { claims } = deliveries;
  const leases = { owner: 'us', hold: () => {}, release: () => {}, holds: () => false, valid: () => true, close: async () => {} };
  const woken: Position[] = [];
  const waker = async ({ aggregate, seq }: Position) => void woken.push({ aggregate, seq });
  const [before] = await stored();
  if (before === undefined) throw new Error('nothing is stored');
  const holdSuccessorBack = async (status: string) => {
    await set(before._id, { status });
    await set(successor, { due_at: new Date(1) });
    const claimed = await claims.claim(await claims.due(String(before.endpoint), 2, 10), leases.owner, 2);
    const blocked = claimed.map((stored) => ({ stored, untilMs: 0, behind: before._id }));
    await holdBack({ deliveries, leases, clock: world.clock, waker }, blocked);
    return blocked.length;
  };
  expect([await holdSuccessorBack('pending'), woken]).toEqual([1, []]);
  const [awaited] = await stored();
  expect([awaited?.awaited, awaited?.version]).toEqual([true, Number(before.version) + 1]);
  expect((await find(successor))?.lease_by).toBeUndefined();
  expect([await holdSuccessorBack('delivered'), woken]).toEqual([
    1,
    [{ aggregate: `money-out:transfers:${reference}`, seq: 2n }],
  ]);
  await deliveries.close();
});
