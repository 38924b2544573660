import { createClock } from '@gerbang/core';
import { eventually, startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectStore, type Due, type Store, startDueTimer } from '../src/index.ts';

type Job = Due & { _id: string; runs: number };

let mongo: TestMongo;
let store: Store;

beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}due`, appName: 'test' });
});

afterAll(async () => {
  await store?.close();
  await mongo?.stop();
});

const log = testLog();

test.each([false, true])('each due document is handled by one of several replicas; given together: %s', async (isTogether) => {
  const jobs = store.collection<Job>(`shared-${isTogether}`);
  const clock = createClock(() => 1_000_000);
  await jobs.insertMany(Array.from({ length: 300 }, (_, i) => ({ _id: `j${i}`, runs: 0, due_at: new Date(999_000) })));
  const handle = async (job: Job) => {
    await jobs.updateOne({ _id: job._id }, { $inc: { runs: 1 }, $unset: { due_at: '', lease_until: '' } });
  };
  const handleTogether = async (all: Job[]) => {
    await Promise.all(all.map(handle));
  };
  const options = { collection: jobs, clock, log, handle, leaseMs: 30_000, pollMs: 20, ...(isTogether && { handleTogether }) };
  const replicas = await Promise.all([1, 2, 3].map(() => startDueTimer<Job>(options)));
  const left = () => jobs.countDocuments({ due_at: { $type: 'date' } });
  await eventually('all are done', async () => (await left()) === 0, 30_000);
  await Promise.all(replicas.map((replica) => replica.close()));
  expect((await jobs.find({}).toArray()).filter(({ runs }) => runs === 1)).toHaveLength(300);
});

test('nothing is handled before its time; an advance of the clock is enough', async () => {
  const jobs = store.collection<Job>('later');
  const clock = createClock(() => 1_000_000);
  await jobs.insertOne({ _id: 'late', runs: 0, due_at: new Date(1_005_000) });
  const handled: string[] = [];
  const handle = async (job: Job) => {
    handled.push(job._id);
    await jobs.updateOne({ _id: job._id }, { $unset: { due_at: '' } });
  };
  // No poll will come: only the clock can wake it.
  const timer = await startDueTimer<Job>({ collection: jobs, clock, log, handle, leaseMs: 30_000, pollMs: 3_600_000 });
  clock.setOffset(4_999);
  await jobs.insertOne({ _id: 'due', runs: 0, due_at: new Date(1_000) });
  timer.poke();
  await eventually('the due one', () => handled.length === 1);
  clock.setOffset(5_000);
  await eventually('the late one', () => handled.length === 2);
  expect(handled).toEqual(['due', 'late']);
  await timer.close();
});

test('a handler that fails is repeated once its lease is over', async () => {
  const jobs = store.collection<Job>('failing');
  await jobs.insertOne({ _id: 'x', runs: 0, due_at: new Date(1) });
  let attempts = 0;
  const handle = async (job: Job) => {
    attempts++;
    if (attempts === 1) throw new Error('not this time');
    await jobs.updateOne({ _id: job._id }, { $unset: { due_at: '' } });
  };
  const timer = await startDueTimer<Job>({ collection: jobs, clock: createClock(), log, handle, leaseMs: 200, pollMs: 20 });
  await eventually('a second attempt', () => attempts === 2);
  await timer.close();
});

test('one that takes long holds up only its slot', async () => {
  const jobs = store.collection<Job>('slots');
  await jobs.insertMany(Array.from({ length: 20 }, (_, i) => ({ _id: `j${i}`, runs: 0, due_at: new Date(1) })));
  const { promise: isOver, resolve: letGo } = Promise.withResolvers<void>();
  const handle = async (job: Job) => {
    if (job._id === 'j0') await isOver;
    await jobs.updateOne({ _id: job._id }, { $unset: { due_at: '' } });
  };
  const options = { collection: jobs, clock: createClock(), log, handle, leaseMs: 30_000, pollMs: 20, concurrency: 2 };
  const timer = await startDueTimer<Job>(options);
  const left = () => jobs.countDocuments({ due_at: { $type: 'date' } });
  await eventually('all others are done', async () => (await left()) === 1);
  await jobs.insertOne({ _id: 'later', runs: 0, due_at: new Date(2) });
  await eventually(
    'a later one is done',
    async () => (await left()) === 1 && (await jobs.findOne({ _id: 'later' }))?.due_at === undefined,
  );
  letGo();
  await timer.close();
});

test('a free slot goes to who has the fewest at work, also behind more than are looked at in one go', async () => {
  type Owned = Job & { owner: string };
  const jobs = store.collection<Owned>('fair');
  const slow = Array.from({ length: 250 }, (_, i) => ({ _id: `slow${i}`, runs: 0, owner: 'slow', due_at: new Date(1) }));
  await jobs.insertMany([...slow, { _id: 'fast', runs: 0, owner: 'fast', due_at: new Date(2) }]);
  const { promise: isOver, resolve: letGo } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const handle = async (job: Owned) => {
    begun.push(job.owner);
    if (job.owner === 'slow') await isOver;
    await jobs.updateOne({ _id: job._id }, { $unset: { due_at: '' } });
  };
  const options = { collection: jobs, clock: createClock(), log, handle, leaseMs: 30_000, pollMs: 20, concurrency: 4 };
  const timer = await startDueTimer<Owned>({ ...options, fairBy: 'owner' });
  await eventually('the other owner has its turn', () => begun.includes('fast'));
  expect(begun.indexOf('fast')).toBeLessThanOrEqual(1);
  letGo();
  await timer.close();
});
