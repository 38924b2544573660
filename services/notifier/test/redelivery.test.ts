import { newUlid } from '@gerbang/core';
import { DeliveryService, DeliveryStatus, EventService, RedeliveryService } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { Outcome } from '@gerbang/proto/gerbang/operator/v1/operator';
import { eventually } from '@gerbang/testkit';
import { beforeEach, expect, test } from 'vitest';
import { forEachTest } from './each-test.ts';
import { referenceOf, type Sink, vera, type World } from './world.ts';

const open = forEachTest();
let world: World;
let sink: Sink;

beforeEach(async () => {
  world = await open.world();
  sink = await open.sink();
  for (const merchantId of ['m1', 'm2']) {
    world.merchants.set(merchantId, { partnerId: 'p', secret: 's', url: () => sink.url });
  }
});

/** Finishes transfers of a merchant at these times, and waits for their webhooks. */
async function deliver(merchantId: string, times: readonly number[]) {
  const before = sink.got.length;
  for (const [i, atMs] of times.entries()) await world.finish(merchantId, { reference: `${merchantId}-${i}`, atMs });
  await eventually('all are delivered', async () => {
    const stored = await world.stored();
    return stored.length === before + times.length && stored.every(({ status }) => status === 'delivered');
  });
}

const again = () => sink.got.map(referenceOf).sort();

test('a run sends matching webhooks again, once even if repeated, and is in the audit log and each delivery’s log', async () => {
  const notifier = await world.startNotifier();
  const startMs = world.clock.now() - 100_000;
  await deliver(
    'm1',
    [0, 1, 2, 3, 4].map((i) => startMs + i * 1_000),
  );
  await deliver('m2', [startMs + 2_000]);
  sink.got.length = 0;
  const run = newUlid(Date.now());
  const wanted = {
    run,
    fromMs: BigInt(startMs + 1_000),
    toMs: BigInt(startMs + 3_000),
    merchantId: 'm1',
    event: 'disbursement',
    status: DeliveryStatus.DELIVERED,
    limit: 2,
  };
  expect(await notifier.operator.redeliverMany({ ...wanted, dryRun: true, limit: 10 })).toMatchObject({ matched: 3, after: '' });
  const first = await notifier.operator.redeliverMany(wanted);
  expect(first.matched).toBe(2);
  expect(await notifier.operator.redeliverMany({ ...wanted, after: first.after })).toMatchObject({ matched: 1, after: '' });
  await eventually('three', () => sink.got.length === 3);
  // As after a crash: from the beginning.
  expect(await notifier.operator.redeliverMany(wanted)).toMatchObject({ matched: 0, after: '' });
  expect(again()).toEqual(['m1-1#1', 'm1-2#1', 'm1-3#1']);

  const parts = world.commands.map(({ after, ...command }) => ({ ...command, after: JSON.parse(after) }));
  const [part] = parts;
  expect(part).toMatchObject({ operator: 'ana', method: 'RedeliverMany', target: `run:${run}`, outcome: Outcome.DONE });
  expect(part?.after).toMatchObject({ event: 'disbursement', merchant_id: 'm1', status: 'delivered' });
  expect(parts.map(({ after }) => [after.deliveries, after.dry_run])).toEqual([
    [3, true],
    [2, false],
    [1, false],
    [0, false],
  ]);
  const requests = (await world.stored()).flatMap(({ redeliveries = [] }) => redeliveries);
  expect(requests).toMatchObject([1, 2, 3].map(() => ({ operator: 'ana', run })));
  const { deliveries } = await notifier.rpc.listDeliveries({ merchantId: 'm1' });
  expect(deliveries.map(({ redeliveries }) => redeliveries.map(({ clientId }) => clientId))).toEqual([[], [''], [''], [''], []]);
});

test('a single webhook of any status is sent again by its id; its log names the credential that requested it', async () => {
  const notifier = await world.startNotifier();
  await deliver('m1', [world.clock.now(), world.clock.now()]);
  const [{ id = '' } = {}] = (await notifier.rpc.listDeliveries({ merchantId: 'm1' })).deliveries;
  const request = { run: newUlid(Date.now()), id, limit: 10 };
  expect(await notifier.operator.redeliverMany(request)).toMatchObject({ matched: 1, after: '' });
  await eventually('it came again', () => sink.got.length === 3);
  await notifier.rpc.redeliver({ merchantId: 'm1', id, clientId: 'cl_1' });
  await eventually('and again', () => sink.got.length === 4);
  const { delivery } = await notifier.rpc.getDelivery({ merchantId: 'm1', id });
  expect(delivery?.redeliveries.map(({ clientId }) => clientId)).toEqual(['', 'cl_1']);
  expect(new Set(sink.got.slice(2).map(({ headers }) => headers['x-event-id']))).toEqual(new Set([id]));
});

test.each([
  ['run', { run: 'x' }],
  ['to', { fromMs: 2n, toMs: 1n }],
  ['limit', { limit: 0 }],
  ['id', { id: 'nonsense' }],
  ['after', { after: 'nonsense' }],
])('a wrong %s is refused by its name', async (field, over) => {
  const notifier = await world.startNotifier();
  const good = { run: newUlid(Date.now()), fromMs: 1n, toMs: 2n, limit: 1 };
  await expect(notifier.operator.redeliverMany({ ...good, ...over })).rejects.toMatchObject({
    refusal: { refused: 'validation', errors: { [field]: [expect.any(String)] } },
  });
});

test('only who may support merchants can request a run, and only with a token', async () => {
  const notifier = await world.startNotifier();
  await deliver('m1', [world.clock.now()]);
  sink.got.length = 0;
  const request = { operator: 'ana', run: newUlid(Date.now()), fromMs: 0n, toMs: BigInt(world.clock.now()), limit: 1 };
  const nobody = notifier.channel.client(RedeliveryService);
  await expect(nobody.redeliverMany(request)).rejects.toMatchObject({ refusal: { refused: 'unauthorized' } });
  await expect(notifier.as(vera).operator.redeliverMany(request)).rejects.toMatchObject({ refusal: { refused: 'forbidden' } });
  expect((await notifier.operator.redeliverMany({ ...request, dryRun: true })).matched).toBe(1);
  expect(sink.got).toEqual([]);
  expect(world.commands.map(({ operator, refusal }) => [operator, refusal])).toEqual([
    ['', 'unauthorized'],
    ['vera', 'forbidden'],
    ['ana', ''],
  ]);
});

test('what operators read needs a token too, and what merchants read does not', async () => {
  const { channel } = await world.startNotifier();
  const events = channel.client(EventService);
  await expect(events.listUnreadable({})).rejects.toMatchObject({ refusal: { refused: 'unauthorized' } });
  await expect(events.listFates({})).rejects.toMatchObject({ refusal: { refused: 'unauthorized' } });
  expect((await channel.client(DeliveryService).listDeliveries({ merchantId: 'm1' })).deliveries).toEqual([]);
});
