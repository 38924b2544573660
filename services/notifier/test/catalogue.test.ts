import { EVENT_CATALOGUE, type EventCatalogue } from '@gerbang/present';
import { eventually } from '@gerbang/testkit';
import { beforeEach, expect, test } from 'vitest';
import { eventIdOf } from '../src/event/received-event.ts';
import { forEachTest } from './each-test.ts';
import { finished, referenceOf, type Sink, type World } from './world.ts';

const open = forEachTest();
let world: World;
let sink: Sink;
let lines: string[];

beforeEach(async () => {
  world = await open.world();
  sink = await open.sinkOf(world, 'm1');
  lines = [];
});

/** The catalogue of the version before, to which one type of event was unknown. */
function catalogueWithout(type: string): EventCatalogue {
  const moneyOut = Object.entries(EVENT_CATALOGUE['money-out']).filter(([known]) => known !== type);
  return { ...EVENT_CATALOGUE, 'money-out': Object.fromEntries(moneyOut) };
}

function startNotifier(catalogue?: EventCatalogue) {
  return world.startNotifier({}, { write: (line) => void lines.push(line) }, catalogue);
}

/** Stores a transfer with an event of each type, and publishes them. */
async function publish(reference: string, types: readonly string[], schema = 1): Promise<void> {
  const atMs = world.clock.now();
  const events = types.map((type, i) => ({ type, schema, payload: finished(`${reference}#${i + 1}`, 'm1', atMs), atMs }));
  if ((await world.transfers.insert(reference, 'm1', { n: 1 }, events)) === undefined) throw new Error(`${reference} is taken`);
}

const received = () => sink.got.map(referenceOf);
const alerts = () => lines.map((line) => JSON.parse(line)).filter(({ alert }) => alert === 'event_unreadable');
const statuses = async () => (await world.stored()).map(({ status }) => status).sort();

test('events of a type that only a newer version knows are kept, alert once, and are sent after the upgrade', async () => {
  const older = await startNotifier(catalogueWithout('disbursement.failed'));
  for (const reference of ['T', 'U', 'V']) await publish(reference, ['disbursement.failed', 'disbursement.succeeded']);
  await eventually('the events after them arrive', () => received().length === 3);
  expect(received().sort()).toEqual(['T#2', 'U#2', 'V#2']);
  await eventually('all are confirmed', async () => (await world.transfers.find('T'))?.tail.length === 0);

  const [kept] = (await world.stored()).filter(({ aggregate, seq }) => aggregate === 'money-out:transfers:T' && seq === 1n);
  const event = { service: 'money-out', aggregateType: 'transfers', aggregateId: 'T', seq: 1n };
  const eventId = eventIdOf({ ...event, atMs: kept?.at instanceof Date ? kept.at.getTime() : 0 });
  expect(kept).toMatchObject({ _id: eventId, status: 'unreadable', type: 'disbursement.failed', event_schema: 1 });
  expect(kept?.payload).toBeDefined();
  expect(alerts()).toMatchObject([{ level: 'error', source: 'money-out', type: 'disbursement.failed' }]);
  expect((await older.events.replayEvents({ filter: { id: eventId } })).events).toMatchObject([
    { fate: 'unreadable', reason: 'money-out has no event disbursement.failed that is known here' },
  ]);
  await older.close();

  const { events } = await startNotifier();
  const replayed = (await events.replayEvents({ filter: { type: 'disbursement.failed' } })).events;
  expect(replayed).toMatchObject([{ fate: 'webhook' }, { fate: 'webhook' }, { fate: 'webhook' }]);
  await eventually('their webhooks', () => received().length === 6);
  expect(sink.got.find((hook) => referenceOf(hook) === 'T#1')?.headers['x-event-id']).toBe(eventId);
  expect(alerts()).toHaveLength(1);
});

test('a newer schema of a known type is kept too, and becomes what the newer catalogue says', async () => {
  const older = await startNotifier();
  await publish('T', ['disbursement.accepted', 'disbursement.succeeded'], 2);
  await eventually('they are stored', async () => (await world.stored()).length === 2);
  expect(await statuses()).toEqual(['unreadable', 'unreadable']);
  expect(alerts().map(({ reason }) => reason)).toEqual([
    'disbursement.accepted has schema 2; this program reads up to 1',
    'disbursement.succeeded has schema 2; this program reads up to 1',
  ]);
  await older.close();

  const { 'disbursement.accepted': accepted, 'disbursement.succeeded': succeeded, ...others } = EVENT_CATALOGUE['money-out'];
  const lifted = { 'disbursement.accepted': { ...accepted, schema: 2 }, 'disbursement.succeeded': { ...succeeded, schema: 2 } };
  const newer = await startNotifier({ ...EVENT_CATALOGUE, 'money-out': { ...others, ...lifted } });
  const { events } = await newer.events.replayEvents({ filter: {} });
  expect(events).toMatchObject([{ fate: 'unwanted' }, { fate: 'webhook' }]);
  await eventually('the webhook', () => received().length === 1);
  await eventually('both have their outcome', async () => (await statuses()).join() === 'delivered,unwanted');
});

test('an event that an earlier version has stored without its payload stays as it is', async () => {
  const { events } = await startNotifier(catalogueWithout('disbursement.failed'));
  const atMs = world.clock.now();
  const stored = {
    ...{ schema: 1, version: 1, status: 'unwanted', service: 'money-out', merchant_id: 'm1', traceparent: '' },
    ...{ aggregate: 'money-out:transfers:T', seq: 1n, type: 'disbursement.failed', at: new Date(atMs) },
  };
  const event = { service: 'money-out', aggregateType: 'transfers', aggregateId: 'T', seq: 1n };
  await world.deliveries.insertOne({ ...stored, _id: eventIdOf({ ...event, atMs }) });
  await world.transfers.insert('T', 'm1', { n: 1 }, [
    { type: 'disbursement.failed', schema: 1, payload: finished('T#1', 'm1', atMs), atMs },
  ]);
  await eventually('it is confirmed', async () => (await world.transfers.find('T'))?.tail.length === 0);
  expect((await events.replayEvents({ filter: {} })).events).toEqual([]);
  expect([await statuses(), alerts()]).toEqual([['unwanted'], []]);
});
