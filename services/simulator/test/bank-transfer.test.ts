import { generateKeyPairSync, randomInt } from 'node:crypto';
import { newUlid } from '@gerbang/core';
import { type BankTransferRail, type BankTransferRequest, openSnapBankTransfer, type SnapCredentials } from '@gerbang/rails';
import { eventually, startTestMongo, type TestMongo } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { type Service, startService } from '../src/service.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (key: typeof publicKey) => key.export({ type: key.type === 'public' ? 'spki' : 'pkcs8', format: 'pem' }).toString();

let mongo: TestMongo;
let simulator: Service;
let rail: BankTransferRail;

const start = (port = 0) =>
  startService(
    readConfig({
      GERBANG_ENV: 'sandbox',
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
      MONGODB_URI: mongo.uri,
      MONGODB_DB_PREFIX: mongo.databasePrefix,
      ADMIN_PORT: '0',
      SIMULATOR_PORT: String(port),
      SIMULATOR_CLIENT_KEY: 'gerbang',
      SIMULATOR_CLIENT_SECRET: 's3cret',
      SIMULATOR_PUBLIC_KEY: Buffer.from(pem(publicKey)).toString('base64'),
    }),
  );

const credentials = (over: Partial<SnapCredentials> = {}): SnapCredentials => ({
  url: simulator.url,
  clientKey: 'gerbang',
  clientSecret: 's3cret',
  privateKey: pem(privateKey),
  partnerId: 'gerbang',
  channelId: '95221',
  ...over,
});

beforeAll(async () => {
  mongo = await startTestMongo();
  simulator = await start();
  rail = openSnapBankTransfer(credentials());
});

afterAll(async () => {
  await rail?.close();
  await simulator?.close();
  await mongo?.stop();
});

function request(accountNumber = '1234567890'): BankTransferRequest {
  const partnerReference = newUlid(Date.now());
  return {
    partnerReference,
    externalId: String(Date.now()) + String(randomInt(1e12)).padStart(12, '0'),
    merchantReference: `m-${partnerReference}`,
    amountSen: '1500000',
    beneficiaryBankCode: '014',
    beneficiaryAccountNumber: accountNumber,
    beneficiaryAccountName: '',
    remark: '',
    createdAtMs: Date.now(),
  };
}

const soon = () => ({ signal: AbortSignal.timeout(5_000) });
const control = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${simulator.url}/sandbox/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
};
const booked = async (reference: string) => {
  const { json } = await control('GET', 'rails/bank-transfer/books');
  return (json.items as { transaction_id: string }[]).filter((item) => item.transaction_id === reference);
};

describe('beneficiaries', () => {
  test('a good one is named and paid', async () => {
    expect(
      await rail.inquireAccount({ bankCode: '014', accountNumber: '1234567890', partnerReference: newUlid(0) }, soon()),
    ).toEqual({
      outcome: 'found',
      accountName: 'TEST 7890',
    });
    const sent = request();
    expect(await rail.transfer(sent, soon())).toMatchObject({ outcome: 'succeeded' });
    expect(await rail.inquireTransfer(sent, soon())).toMatchObject({ outcome: 'succeeded' });
    expect(await booked(sent.partnerReference)).toEqual([
      {
        reference_number: sent.merchantReference,
        transaction_id: sent.partnerReference,
        direction: 'out',
        amount: { value: '15000.00', currency: 'IDR' },
        status: 'success',
      },
    ]);
  });

  test('0404 is not found', async () => {
    const sent = request('1234560404');
    expect(
      await rail.inquireAccount({ bankCode: '014', accountNumber: '1234560404', partnerReference: newUlid(0) }, soon()),
    ).toEqual({
      outcome: 'not_found',
    });
    expect(await rail.transfer(sent, soon())).toMatchObject({ outcome: 'failed', beneficiaryUnknown: true });
    expect(await rail.inquireTransfer(sent, soon())).toEqual({ outcome: 'not_found' });
  });

  test('0001 fails at the bank', async () => {
    const sent = request('1234560001');
    expect(await rail.transfer(sent, soon())).toMatchObject({ outcome: 'failed', beneficiaryUnknown: false });
    expect(await rail.inquireTransfer(sent, soon())).toMatchObject({ outcome: 'failed' });
  });

  test.each([
    ['1234560002', 'succeeded'],
    ['1234560003', 'failed'],
  ])('%s does not answer, is pending, and has %s 5 s later', async (accountNumber, outcome) => {
    const sent = request(accountNumber);
    expect(await rail.transfer(sent, { signal: AbortSignal.timeout(300) })).toMatchObject({ outcome: 'unknown' });
    expect(await rail.inquireTransfer(sent, soon())).toEqual({ outcome: 'pending' });
    await control('POST', 'clock/advance', { ms: 5_000 });
    await eventually('the outcome', async () => (await rail.inquireTransfer(sent, soon())).outcome === outcome);
  });
});

describe('forced behaviour', () => {
  test('error books nothing, and goes away', async () => {
    const sent = request();
    await control('PUT', 'rails/bank-transfer', { outcome: 'error' });
    expect(await rail.transfer(sent, soon())).toMatchObject({ outcome: 'unknown' });
    expect(await rail.inquireTransfer(sent, soon())).toMatchObject({ outcome: 'unknown' });
    await control('DELETE', 'rails/bank-transfer');
    expect(await rail.inquireTransfer(sent, soon())).toEqual({ outcome: 'not_found' });
    expect(await rail.transfer(sent, soon())).toMatchObject({ outcome: 'succeeded' });
  });

  test('an error rate leaves every reference in the books once at the most, and known by inquiry', async () => {
    await control('PUT', 'rails/bank-transfer', { error_rate: 0.6 });
    const sent = Array.from({ length: 60 }, () => request());
    const first = await Promise.all(sent.map((one) => rail.transfer(one, soon())));
    await control('DELETE', 'rails/bank-transfer');
    expect(first.some(({ outcome }) => outcome === 'unknown')).toBe(true);
    for (const one of sent) {
      if ((await rail.inquireTransfer(one, soon())).outcome === 'not_found') await rail.transfer(one, soon());
      expect(await booked(one.partnerReference)).toHaveLength(1);
    }
  });

  test.each([
    [{ outcome: 'maybe' }, 422],
    [{ error_rate: 2 }, 422],
    [{ latency_ms: '5' }, 422],
    [{ unknown: 1 }, 422],
  ])('refuses %j', async (body, status) => expect((await control('PUT', 'rails/bank-transfer', body)).status).toBe(status));

  test('an unknown rail is 404', async () => expect((await control('PUT', 'rails/none', {})).status).toBe(404));
});

describe('the bank’s checks', () => {
  test('a reference and an external id are taken once', async () => {
    const sent = request();
    const all = await Promise.all(Array.from({ length: 10 }, () => rail.transfer(sent, soon())));
    expect(all.filter(({ outcome }) => outcome === 'succeeded')).toHaveLength(1);
    expect(all.filter(({ outcome }) => outcome === 'unknown')).toHaveLength(9);
    expect(await booked(sent.partnerReference)).toHaveLength(1);
    const other = { ...request(), externalId: sent.externalId };
    expect(await rail.transfer(other, soon())).toMatchObject({ outcome: 'unknown' });
    expect(await booked(other.partnerReference)).toEqual([]);
  });

  test.each([
    ['client secret', { clientSecret: 'wrong' }],
    ['client key', { clientKey: 'wrong' }],
    ['private key', { privateKey: pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey) }],
  ])('a wrong %s pays nothing', async (_what, over) => {
    const stranger = openSnapBankTransfer(credentials(over));
    const sent = request();
    expect(await stranger.transfer(sent, soon())).toMatchObject({ outcome: 'unknown' });
    expect(await booked(sent.partnerReference)).toEqual([]);
    await stranger.close();
  });

  test('a restart forgets tokens and nothing else', async () => {
    const late = request('1234560002');
    await rail.transfer(late, { signal: AbortSignal.timeout(200) });
    const port = Number(new URL(simulator.url).port);
    const { json: before } = await control('GET', 'clock');
    await simulator.close();
    simulator = await start(port);
    expect((await control('GET', 'clock')).json.offset_ms).toBe(before.offset_ms);
    expect(await rail.transfer(request(), soon())).toMatchObject({ outcome: 'succeeded' });
    await control('POST', 'clock/advance', { ms: 5_000 });
    await eventually('the late outcome', async () => (await rail.inquireTransfer(late, soon())).outcome === 'succeeded');
  });
});

describe('the clock', () => {
  test('an advance waits until its followers have taken it', async () => {
    const { json: before } = await control('GET', 'clock');
    const offset = Number(before.offset_ms);
    const order: string[] = [];
    const following = (async () => {
      const { json } = await control('GET', `clock?after=${offset}&wait_ms=10000`);
      expect(json.offset_ms).toBe(offset + 777);
      order.push('taken');
      await control('GET', `clock?after=${json.offset_ms}&wait_ms=1`);
    })();
    await eventually('the poll is waiting', async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return order.length === 0;
    });
    await control('POST', 'clock/advance', { ms: 777 });
    order.push('advanced');
    await following;
    expect(order).toEqual(['taken', 'advanced']);
  });

  test.each([[{ ms: 0 }], [{ ms: -1 }], [{ ms: 1.5 }], [{ ms: '5' }], [{}], [{ ms: 1e15 }]])(
    'refuses to advance by %j',
    async (body) => expect((await control('POST', 'clock/advance', body)).status).toBe(422),
  );
});
