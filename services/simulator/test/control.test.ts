import { createClock } from '@gerbang/core';
import { type Closeable, startBusinessClock } from '@gerbang/runtime';
import { connectStore } from '@gerbang/store';
import { eventually, failCommand, startTestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBankBooks } from '../src/bank-transfer/books.ts';
import { readConfig } from '../src/config.ts';
import { startService } from '../src/service.ts';
import { type Bench, booksSchema, callBank, config, newRequest, soon, startBench, toRecord } from './harness.ts';

let bench: Bench;

beforeAll(async () => {
  bench = await startBench();
});

afterAll(() => bench?.stop());

describe('the clock', () => {
  const offset = async () => Number((await bench.control('GET', 'clock')).json.offset_ms);

  test('is real time plus an offset', async () => {
    const { json } = await bench.control('GET', 'clock');
    expect(Math.abs(Number(json.now) - Date.now() - Number(json.offset_ms))).toBeLessThan(5_000);
    const before = await offset();
    const { status, json: after } = await bench.control('POST', 'clock/advance', { ms: 86_400_000 });
    expect([status, after.offset_ms]).toEqual([200, before + 86_400_000]);
  });

  test('an advance is answered when every service that follows has taken it', async () => {
    const clocks = await Promise.all([1, 2, 3].map(() => startBusinessClock(`${bench.url()}/sandbox/clock`, testLog())));
    const followed = clocks.map((clock) => ({ clock, toldMs: 0 }));
    for (const one of followed) {
      one.clock.onAdvance(() => {
        one.toldMs = one.clock.now();
      });
    }
    for (const ms of [1_000_000, 5_000, 1]) {
      const startedMs = performance.now();
      const { json } = await bench.control('POST', 'clock/advance', { ms });
      const tookMs = performance.now() - startedMs;
      for (const { clock } of followed) expect(Math.abs(clock.now() - Number(json.now))).toBeLessThan(500);
      expect(tookMs).toBeLessThan(900);
      for (const { toldMs } of followed) expect(toldMs).toBeGreaterThan(0);
    }
    await Promise.all(clocks.map((clock: Closeable) => clock.close()));
  });

  test('a poll behind the offset is answered at once; one that is not, after wait_ms', async () => {
    await bench.control('POST', 'clock/advance', { ms: 10 });
    const now = await offset();
    const { json: behind } = await bench.control('GET', `clock?after=${now - 1}&wait_ms=30000`);
    expect(behind.offset_ms).toBe(now);
    const startedMs = performance.now();
    const { json: level } = await bench.control('GET', `clock?after=${now}&wait_ms=100`);
    expect(level.offset_ms).toBe(now);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(99);
  });

  test('advances at the same time all count', async () => {
    const before = await offset();
    await Promise.all(Array.from({ length: 10 }, () => bench.control('POST', 'clock/advance', { ms: 7 })));
    expect(await offset()).toBe(before + 70);
  });

  test.each([
    [{ ms: 0 }],
    [{ ms: -1 }],
    [{ ms: 1.5 }],
    [{ ms: '5' }],
    [{}],
    [{ ms: 1e15 }],
    [{ ms: 10 * 365 * 86_400_000 }],
    [[]],
  ])('refuses to advance by %j, and moves nothing', async (body) => {
    const before = await offset();
    const { status, json } = await bench.control('POST', 'clock/advance', body);
    expect([status, typeof json.message]).toEqual([422, 'string']);
    expect(await offset()).toBe(before);
  });

  test.each(['after=-1', 'after=x', 'after=1&wait_ms=30001', 'after=1&wait_ms=-1'])('refuses ?%s', async (query) =>
    expect((await bench.control('GET', `clock?${query}`)).status).toBe(422),
  );
});

describe('rails', () => {
  test.each([
    [{ outcome: 'maybe' }, 'outcome'],
    [{ error_rate: 2 }, 'error_rate'],
    [{ error_rate: -0.1 }, 'error_rate'],
    [{ latency_ms: '5' }, 'latency_ms'],
    [{ latency_ms: 60_001 }, 'latency_ms'],
    [{ latency: 1 }, 'body'],
    [null, 'body'],
  ])('refuse %j under the field’s name', async (body, field) => {
    const { status, json } = await bench.control('PUT', 'rails/bank-transfer', body);
    expect(status).toBe(422);
    expect(Object.keys(json.errors ?? {})).toEqual([field]);
  });

  test('a setting takes the place of the one before', async () => {
    const { json } = await bench.control('PUT', 'rails/bank-transfer', { outcome: 'error', latency_ms: 1 });
    expect(json).toEqual({ rail: 'bank-transfer', outcome: 'error', latency_ms: 1 });
    expect((await bench.control('PUT', 'rails/bank-transfer', {})).json).toEqual({ rail: 'bank-transfer' });
    expect(await bench.rail.transfer(newRequest(), soon())).toMatchObject({ outcome: 'succeeded' });
  });

  test('an unknown rail is 404 and names those that exist', async () => {
    const { status, json } = await bench.control('PUT', 'rails/none', {});
    expect([status, json.message]).toEqual([404, expect.stringContaining('bank-transfer')]);
    expect((await bench.control('DELETE', 'rails/none')).status).toBe(404);
    expect(await bench.control('GET', 'rails/qris/books')).toEqual({ status: 200, json: { items: [] } });
    expect((await bench.control('PUT', 'rails/qris', { latency_ms: 5 })).status).toBe(200);
    expect((await bench.control('DELETE', 'rails/qris')).status).toBe(200);
  });

  test('the books are whole, however long they are', async () => {
    const mongo = await startTestMongo();
    const store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}simulator`, appName: 'test' });
    await openBankBooks(store, createClock());
    const count = 12_345;
    await store.collection<{ _id: string }>('bank_transfers').insertMany(
      Array.from({ length: count }, (_, i) => ({
        _id: `t${String(i).padStart(6, '0')}`,
        schema: 1,
        external_key: `k${i}`,
        merchant_reference: `"quoted" ${i}`,
        amount_sen: 100n + BigInt(i),
        outcome: 'success',
        booked_at: new Date(0),
        settles_at: new Date(0),
      })),
    );
    const service = await startService(config(mongo.uri, mongo.databasePrefix, 0));
    const response = await fetch(`${service.url}/sandbox/rails/bank-transfer/books`);
    const { items } = booksSchema.parse(await response.json());
    expect(items).toHaveLength(count);
    expect(items[12_344]).toEqual({
      reference_number: '"quoted" 12344',
      transaction_id: 't012344',
      direction: 'out',
      amount: { value: '124.44', currency: 'IDR' },
      status: 'success',
    });
    await service.close();
    await store.close();
    await mongo.stop();
  });
});

describe('requests that are none', () => {
  const send = async (method: string, path: string, init: RequestInit = {}) => {
    const response = await fetch(`${bench.url()}${path}`, { method, ...init });
    return {
      status: response.status,
      allow: response.headers.get('allow'),
      json: toRecord(await response.json()),
    };
  };
  const json = (body: string) => ({ body, headers: { 'content-type': 'application/json' } });

  test.each<[string, string, RequestInit, number]>([
    ['GET', '/nothing', {}, 404],
    ['GET', '/sandbox/clock/advance', {}, 405],
    ['POST', '/sandbox/clock', json('{}'), 405],
    ['GET', '/v1.0/transfer-interbank', {}, 405],
    ['PATCH', '/sandbox/rails/bank-transfer', json('{}'), 405],
    ['POST', '/sandbox/clock/advance', json('{"ms":'), 400],
    ['POST', '/sandbox/clock/advance', json(''), 400],
    ['POST', '/sandbox/clock/advance', {}, 400],
    ['POST', '/sandbox/clock/advance', { body: 'ms=1', headers: { 'content-type': 'text/plain' } }, 415],
    ['POST', '/sandbox/clock/advance', json(`{"ms":${' '.repeat(300_000)}1}`), 413],
  ])('%s %s %#: %i and a message', async (method, path, init, status) => {
    const answer = await send(method, path, init);
    expect(answer.status).toBe(status);
    expect(answer.json.message).toEqual(expect.any(String));
    if (status === 405) expect(answer.allow).toMatch(/^(GET|POST|PUT, DELETE)$/);
  });

  test('the bank’s own routes answer as SNAP does', async () => {
    const answer = await send('POST', '/v1.0/transfer-interbank', json(`{"a":"${'x'.repeat(300_000)}"}`));
    expect([answer.status, answer.json.responseCode]).toEqual([413, '4131800']);
    const unsigned = await send('POST', '/v1.0/transfer/status', json('{}'));
    expect([unsigned.status, unsigned.json.responseCode]).toEqual([400, '4003602']);
  });

  test('answers are counted', async () => {
    const mongo = await startTestMongo();
    const service = await startService(config(mongo.uri, mongo.databasePrefix, 0));
    await callBank(service.url, '/v1.0/transfer/status', { originalPartnerReferenceNo: 'x', serviceCode: '18' });
    const admin = `http://127.0.0.1:${service.adminPort}`;
    const metrics = await (await fetch(`${admin}/metrics`)).text();
    expect(metrics).toMatch(/gerbang_simulator_snap_answers_total\{[^}]*response_code="4043601"[^}]*\} 1/);
    expect((await fetch(`${admin}/readyz`)).status).toBe(200);
    await using failing = await failCommand(mongo.uri, 'alwaysOn', { failCommands: ['ping'], errorCode: 8000 });
    await eventually('not ready without its database', async () => (await fetch(`${admin}/readyz`)).status === 503);
    await failing.off();
    await service.close();
    await mongo.stop();
  });
});

describe('configuration', () => {
  const good = {
    GERBANG_ENV: 'sandbox',
    MONGODB_URI: 'mongodb://127.0.0.1',
    SIMULATOR_CLIENT_KEY: 'k',
    SIMULATOR_CLIENT_SECRET: 's',
  };
  test.each([
    [{ GERBANG_ENV: 'production' }, 'GERBANG_ENV'],
    [{ SIMULATOR_PUBLIC_KEY: undefined }, 'SIMULATOR_PUBLIC_KEY'],
    [{ SIMULATOR_PUBLIC_KEY: Buffer.from('no key').toString('base64') }, 'SIMULATOR_PUBLIC_KEY'],
    [{ SIMULATOR_PORT: '99999' }, 'SIMULATOR_PORT'],
    [{ SIMULATOR_CLIENT_SECRET: '' }, 'SIMULATOR_CLIENT_SECRET'],
  ])('%j is refused by name', (over, name) => expect(() => readConfig({ ...good, ...over })).toThrow(name));
});
