import { eventually } from '@gerbang/testkit';
import { beforeEach, expect, test } from 'vitest';
import { forEachTest } from './each-test.ts';
import type { Sink, World } from './world.ts';

const HOUR_MS = 3_600_000;

const open = forEachTest();
let world: World;
let sink: Sink;
let status: number;

beforeEach(async () => {
  status = 500;
  world = await open.world();
  sink = await open.sink(() => status);
  world.merchants.set('m1', { partnerId: 'p', secret: 's', url: () => sink.url });
});

type Alert = { alert: string; level: string | number; merchant_id: string; endpoint: string; failing_since: string };

/** Collects the lines that are alerts. */
function alerts() {
  const seen: Alert[] = [];
  const write = (line: string) => {
    const parsed: Partial<Alert> = JSON.parse(line);
    if (parsed.alert !== undefined) seen.push(parsed as Alert);
  };
  return { seen, write };
}

const failing = () => world.notifierStore.collection<{ _id: string; failing_since: Date }>('endpoints').find().toArray();
const advance = (ms: number) => world.clock.setOffset(world.clock.offsetMs() + ms);

test('an endpoint that fails for an hour alerts once an hour, over restarts and replicas, and when it recovers', async () => {
  const lines = alerts();
  const first = await world.startNotifier({}, lines);
  const startMs = world.clock.now();
  await world.finish('m1');
  await eventually('it is known to fail', async () => (await failing()).length === 1);
  advance(HOUR_MS / 2);
  await first.close();
  await Promise.all([world.startNotifier({}, lines), world.startNotifier({}, lines)]);
  expect(lines.seen).toEqual([]);
  advance(HOUR_MS / 2);
  await eventually('the alert', () => lines.seen.length > 0);
  expect(lines.seen[0]).toMatchObject({
    alert: 'webhook_endpoint_failing',
    merchant_id: 'm1',
    endpoint: new URL(sink.url).origin,
  });
  expect(Date.parse(lines.seen[0]?.failing_since ?? '')).toBeGreaterThanOrEqual(startMs);
  advance(HOUR_MS / 2);
  await eventually('another attempt', () => sink.got.length >= 3);
  expect(lines.seen).toHaveLength(1);
  advance(HOUR_MS / 2);
  await eventually('the second alert', () => lines.seen.length === 2);
  status = 200;
  // A replica that has not seen it fail may be the one whose attempt is acknowledged.
  await eventually(
    'it has recovered',
    async () => {
      await world.finish('m1');
      return lines.seen.length === 3;
    },
    15_000,
  );
  expect(lines.seen.map(({ alert }) => alert)).toEqual([
    'webhook_endpoint_failing',
    'webhook_endpoint_failing',
    'webhook_endpoint_recovered',
  ]);
  expect(await failing()).toEqual([]);
}, 40_000);

test('an endpoint that failed and has nothing pending does not alert, and is forgotten after a day', async () => {
  const lines = alerts();
  await world.startNotifier({}, lines);
  await world.finish('m1');
  await eventually('it is known to fail', async () => (await failing()).length === 1);
  // Not during an attempt, because its end writes `due_at`.
  const resting = { endpoint: { $gt: '' }, due_at: { $type: 'date' as const }, lease_by: { $exists: false } };
  await eventually('nothing is pending', async () => {
    const { modifiedCount } = await world.deliveries.updateMany(resting, { $unset: { due_at: '' } });
    return modifiedCount === 1;
  });
  advance(2 * HOUR_MS);
  advance(23 * HOUR_MS);
  await eventually('it is forgotten', async () => (await failing()).length === 0, 15_000);
  expect(lines.seen).toEqual([]);
}, 20_000);
