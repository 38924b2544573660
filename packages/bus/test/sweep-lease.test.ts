import { connectStore, type Store } from '@gerbang/store';
import { eventually, failCommand, startTestMongo, type TestMongo } from '@gerbang/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openSweepLease } from '../src/sweep-lease.ts';

type Lease = { _id: string; holder: string; until: Date };

let mongo: TestMongo;
let store: Store;
let number = 0;

beforeAll(async () => {
  mongo = await startTestMongo();
});
afterAll(() => mongo?.stop());
beforeEach(async () => {
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}lease${number++}`, appName: 'test' });
  return () => store.close();
});

const leases = () => store.collection<Lease>('relay_leases');

test('the first of many replicas that ask at once holds it, and only one of them', async () => {
  const replicas = Array.from({ length: 20 }, () => openSweepLease(store));
  const held = await Promise.all(replicas.map((lease) => lease.hold()));
  expect(held.filter(Boolean)).toHaveLength(1);
});

test('who holds it keeps it, and the next one has it at once when it is released', async () => {
  const [first, second] = [openSweepLease(store), openSweepLease(store)];
  expect(await first.hold()).toBe(true);
  expect(await second.hold()).toBe(false);
  expect(await first.hold()).toBe(true);
  await first.release();
  expect(await second.hold()).toBe(true);
  expect(await first.hold()).toBe(false);
});

test('the lease of a replica that has died is over after its time, by the clock of the database', async () => {
  const [dead, next] = [openSweepLease(store), openSweepLease(store)];
  expect(await dead.hold()).toBe(true);
  const { until } = (await leases().findOne({ _id: 'sweep' })) ?? { until: new Date(0) };
  expect(until.getTime() - Date.now()).toBeGreaterThan(5_000);
  await leases().updateOne({ _id: 'sweep' }, { $set: { until: new Date(Date.now() - 1) } });
  expect(await next.hold()).toBe(true);
});

test('a lease that lasts longer than anybody takes it for, as one from a clock that was wrong, is taken', async () => {
  await openSweepLease(store).hold();
  await leases().updateOne({ _id: 'sweep' }, { $set: { until: new Date(Date.now() + 3_600_000) } });
  expect(await openSweepLease(store).hold()).toBe(true);
});

test('an error of the database is reported, and no replica believes that it holds the lease', async () => {
  const lease = openSweepLease(store);
  const failing = await failCommand(mongo.uri, 'alwaysOn', { failCommands: ['update'], errorCode: 224 });
  await expect(lease.hold()).rejects.toMatchObject({ code: 224 });
  await failing.off();
  await eventually('it is taken afterwards', () => lease.hold());
});
