import { createClock, RefusalError, refuse } from '@gerbang/core';
import { startTestMongo, type TestMongo } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectStore, type IdempotencyKeys, openIdempotencyKeys, type Store } from '../src/index.ts';

let mongo: TestMongo;
let store: Store;
let keys: IdempotencyKeys;
const clock = createClock();

beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}keys`, appName: 'test' });
  keys = await openIdempotencyKeys(store, clock);
});

afterAll(async () => {
  await store?.close();
  await mongo?.stop();
});

const claim = (key: string, bodyHash = 'h') => ({ merchantId: 'm', route: 'POST /x', key, bodyHash });
const bytes = (text: string) => new TextEncoder().encode(text);
const allocate = () => 'r1';

test('the first response again, and the work once', async () => {
  let runs = 0;
  const work = async (resource: string) => bytes(`${resource}:${++runs}`);
  const first = await keys.run(claim('a'), allocate, work);
  const again = await keys.run(claim('a'), () => 'r2', work);
  expect(Buffer.from(again.response).toString()).toBe('r1:1');
  expect([first.replayed, again.replayed]).toEqual([false, true]);
});

test('another body is refused; another merchant’s key is another key', async () => {
  await keys.run(claim('b'), allocate, async () => bytes('x'));
  await expect(keys.run(claim('b', 'other'), allocate, async () => bytes('y'))).rejects.toMatchObject({
    refusal: { refused: 'idempotency_key_reused' },
  });
  const other = await keys.run({ ...claim('b', 'other'), merchantId: 'm2' }, allocate, async () => bytes('y'));
  expect(other.replayed).toBe(false);
});

test('while the first is running, a second is told to come back', async () => {
  const finish = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const first = keys.run(claim('c'), allocate, async () => {
    started.resolve();
    await finish.promise;
    return bytes('done');
  });
  await started.promise;
  await expect(keys.run(claim('c'), allocate, async () => bytes('never'))).rejects.toMatchObject({
    refusal: { refused: 'idempotency_key_running', retryAfterMs: 1_000 },
  });
  finish.resolve();
  await first;
});

test('a lasting refusal is the answer again; a passing one is not', async () => {
  const poor = async () => {
    throw new RefusalError(refuse('insufficient_balance'));
  };
  await expect(keys.run(claim('d'), allocate, poor)).rejects.toMatchObject({ refusal: { refused: 'insufficient_balance' } });
  await expect(keys.run(claim('d'), allocate, async () => bytes('rich'))).rejects.toMatchObject({
    refusal: { refused: 'insufficient_balance', replayed: true },
  });
  const down = async () => {
    throw new RefusalError(refuse('unavailable'));
  };
  await expect(keys.run(claim('e'), allocate, down)).rejects.toMatchObject({ refusal: { refused: 'unavailable' } });
  expect((await keys.run(claim('e'), allocate, async () => bytes('up'))).replayed).toBe(false);
});

test('after a failure in the middle a retry goes on with the same resource', async () => {
  const seen: string[] = [];
  const crash = async (resource: string) => {
    seen.push(resource);
    throw new Error('crash');
  };
  await expect(keys.run(claim('f'), () => 'first', crash)).rejects.toThrow('crash');
  await keys.run(
    claim('f'),
    () => 'second',
    async (resource) => {
      seen.push(resource);
      return bytes('ok');
    },
  );
  expect(seen).toEqual(['first', 'first']);
});

test('after 24 hours a key is free', async () => {
  const mine = createClock(() => 1_000);
  const later = await openIdempotencyKeys(store, mine);
  await later.run(claim('g'), allocate, async () => bytes('one'));
  mine.setOffset(24 * 3_600_000);
  expect((await later.run(claim('g'), allocate, async () => bytes('two'))).replayed).toBe(true);
  mine.setOffset(24 * 3_600_000 + 1);
  expect((await later.run(claim('g', 'other'), allocate, async () => bytes('two'))).replayed).toBe(false);
});
