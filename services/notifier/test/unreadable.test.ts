import { create, toBinary } from '@bufbuild/protobuf';
import { EventBatchSchema } from '@gerbang/proto/gerbang/events/v1/events';
import { Outcome } from '@gerbang/proto/gerbang/operator/v1/operator';
import { eventually } from '@gerbang/testkit';
import { beforeEach, expect, test } from 'vitest';
import { forEachTest } from './each-test.ts';
import { finished, referenceOf, type Sink, vera, type World } from './world.ts';

const open = forEachTest();
let world: World;
let sink: Sink;

beforeEach(async () => {
  world = await open.world();
  sink = await open.sink();
  world.merchants.set('m1', { partnerId: 'p', secret: 's', url: () => sink.url });
});

const garbage = new Uint8Array([0xff, 0xff, 0xff]);
const received = () => sink.got.map(referenceOf);
const unreadable = async () => (await world.stored()).filter(({ status }) => status === 'unreadable');

function startNotifier(lines: string[] = []) {
  return world.startNotifier({}, { write: (line) => void lines.push(line) });
}

const succeeded = (payload: Uint8Array) => ({ type: 'disbursement.succeeded', schema: 1, payload, atMs: world.clock.now() });

test('an unreadable event lets its successor go, alerts once, and is delivered by a replay after the fix', async () => {
  const lines: string[] = [];
  const { events, adminPort } = await startNotifier(lines);
  await world.finish('late', { reference: 'T' });
  await eventually('it is stored', async () => (await unreadable()).length === 1);
  const alerts = () => lines.map((line) => JSON.parse(line)).filter(({ alert }) => alert === 'event_unreadable');
  expect(alerts()).toMatchObject([{ level: 'error', merchant_id: 'late', reason: 'the merchant is unknown' }]);
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  expect(metrics).toMatch(/^gerbang_events_unreadable\{?.*\}? 1$/m);

  const [listed] = (await events.listUnreadable({ filter: { type: 'disbursement.succeeded' } })).events;
  expect(listed).toMatchObject({
    aggregate: 'money-out:transfers:T',
    seq: 1n,
    merchantId: 'late',
    reason: 'the merchant is unknown',
  });
  const id = listed?.id ?? '';
  const filter = { id };
  expect((await events.replayEvents({ filter })).events).toMatchObject([{ id, fate: 'unreadable' }]);

  world.merchants.set('late', { partnerId: 'p', secret: 's', url: () => sink.url });
  expect((await events.replayEvents({ filter })).events).toMatchObject([{ id, fate: 'webhook' }]);
  const hook = await eventually('the webhook', () => sink.got[0]);
  expect(hook.headers['x-event-id']).toBe(id);
  expect(await unreadable()).toEqual([]);
  // A second replay finds nothing.
  expect((await events.replayEvents({ filter })).events).toEqual([]);
  expect(alerts()).toHaveLength(1);
  const replay = { operator: 'ana', method: 'ReplayEvents', target: `event:${id}`, outcome: Outcome.DONE };
  expect(world.commands).toMatchObject([replay, replay, replay]);
  expect(world.commands.map(({ after }) => JSON.parse(after).events)).toEqual([1, 1, 0]);
});

test('neither later events of its aggregate nor other aggregates wait for it; its own replay comes after them', async () => {
  const { events } = await startNotifier();
  await world.transfers.insert('T', 'm1', { n: 1 }, [succeeded(garbage), succeeded(finished('T#2', 'm1', world.clock.now()))]);
  await world.finish('m1', { reference: 'U' });
  await eventually('the others', () => received().includes('T#2') && received().includes('U#1'));
  await eventually('all are confirmed', async () => (await world.transfers.find('T'))?.tail.length === 0);
  const replayed = (await events.replayEvents({ filter: {} })).events;
  expect(replayed).toMatchObject([{ fate: 'unreadable', reason: expect.stringMatching(/./) }]);
  expect(await unreadable()).toHaveLength(1);
});

test('filters narrow a replay down, page after page, and change nothing else', async () => {
  const { events } = await startNotifier();
  for (let i = 0; i < 130; i++) await world.finish('late');
  world.clock.setOffset(3_600_000);
  await world.finish('late', { reference: 'later' });
  await eventually('they are stored', async () => (await unreadable()).length === 131, 20_000);
  world.merchants.set('late', { partnerId: 'p', secret: 's', url: () => sink.url });
  const toMs = BigInt(world.clock.now() - 1_800_000);
  expect((await events.replayEvents({ filter: { service: 'money-in' } })).events).toEqual([]);
  expect((await events.replayEvents({ filter: { type: 'disbursement.failed' } })).events).toEqual([]);
  const first = await events.replayEvents({ filter: { toMs } });
  expect([first.events.length, first.nextCursor === '']).toEqual([100, false]);
  const second = await events.replayEvents({ filter: { toMs }, cursor: first.nextCursor });
  expect([second.events.length, second.nextCursor]).toEqual([30, '']);
  await eventually('they arrive', () => received().length === 130, 20_000);
  expect((await events.listUnreadable({})).events.map(({ aggregate }) => aggregate)).toEqual(['money-out:transfers:later']);
}, 40_000);

test('a message that is none is kept once, however often it comes, and delays no others', async () => {
  const lines: string[] = [];
  const { events } = await startNotifier(lines);
  await world.finish('m1', { reference: 'first' });
  await eventually('the stream is there', () => received().includes('first#1'));
  const { connection } = await world.bus.connected();
  for (let i = 0; i < 3; i++) connection.publish('gerbang.money-out.transfers', garbage);
  await world.finish('m1', { reference: 'second' });
  await eventually('the next', () => received().includes('second#1'));
  expect(await unreadable()).toHaveLength(1);
  expect(lines.filter((line) => line.includes('event_unreadable'))).toHaveLength(1);
  const [listed] = (await events.listUnreadable({})).events;
  expect(listed).toMatchObject({ service: 'money-out', aggregate: '', reason: expect.stringContaining('not an event message') });
  expect((await events.replayEvents({ filter: {} })).events).toMatchObject([{ fate: 'unreadable' }]);
});

test('a message that a fix makes readable becomes its events', async () => {
  const { events } = await startNotifier();
  const atMs = world.clock.now();
  const batch = create(EventBatchSchema, {
    service: 'money-out',
    aggregateType: 'transfers',
    aggregateId: 'T',
    merchantId: 'm1',
    events: [{ seq: 1n, type: 'disbursement.succeeded', atMs: BigInt(atMs), schema: 1, payload: finished('T#1', 'm1', atMs) }],
  });
  // As a notifier stored it that could not read it.
  const left = {
    _id: 'unreadable:hash',
    ...{ schema: 1, version: 1, status: 'unreadable', service: 'money-out', reason: 'not an event message' },
    payload: Buffer.from(toBinary(EventBatchSchema, batch)),
  };
  await world.deliveries.insertOne(left);
  expect((await events.replayEvents({ filter: {} })).events).toMatchObject([{ fate: 'webhook' }]);
  await eventually('the webhook', () => received().includes('T#1'));
  expect(await unreadable()).toEqual([]);
});

test('the outcomes of an aggregate’s events are listed by their numbers', async () => {
  const { events } = await startNotifier();
  const atMs = world.clock.now();
  await world.finish('m1', { reference: 'T', atMs });
  await eventually('delivered', async () => (await world.stored())[0]?.status === 'delivered');
  const keys = [
    { seq: 1n, atMs: BigInt(atMs) },
    { seq: 2n, atMs: BigInt(atMs) },
  ];
  const aggregate = { service: 'money-out', aggregateType: 'transfers', aggregateId: 'T' };
  const { fates } = await events.listFates({ ...aggregate, events: keys });
  expect(fates).toMatchObject([{ seq: 1n, status: 'delivered', eventId: String(sink.got[0]?.headers['x-event-id']) }]);
});

test('a replay with a cursor of something else is refused and replays nothing', async () => {
  const { events } = await startNotifier();
  await expect(events.replayEvents({ filter: {}, cursor: '!' })).rejects.toMatchObject({
    refusal: { refused: 'validation', errors: { cursor: expect.anything() } },
  });
  expect(world.commands).toMatchObject([{ outcome: Outcome.REFUSED, refusal: 'validation' }]);
});

test('who may only read can list unreadable events, and replay none', async () => {
  const { as } = await startNotifier();
  await world.finish('late', { reference: 'T' });
  await eventually('it is stored', async () => (await unreadable()).length === 1);
  world.merchants.set('late', { partnerId: 'p', secret: 's', url: () => sink.url });
  expect((await as(vera).events.listUnreadable({})).events).toHaveLength(1);
  await expect(as(vera).events.replayEvents({ filter: {} })).rejects.toMatchObject({ refusal: { refused: 'forbidden' } });
  expect(await unreadable()).toHaveLength(1);
});
