import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { decodeQris, newUlid } from '@gerbang/core';
import { RailDecision, RailService } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { openSnapEwallet, openSnapQris } from '@gerbang/rails';
import { implement, type RpcServer, startRpcServer } from '@gerbang/rpc';
import { eventually, freePort, startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

/** The simulator and the edge as processes, and money-in as this test says: what rails tell, through the real listener. */

type Told = {
  reference: string;
  amountSen: bigint;
  moneyTaken: boolean;
  payable: { case?: string | undefined; value?: unknown };
};

const VA = '7001412345678901';
const CODE = '8610123456789014';
const keyPair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const ours = keyPair();
const theirs = keyPair();
const secret = 'r'.repeat(40);
const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-rails-'));
const partnersFile = path.join(folder, 'partners.json');

let mongo: TestMongo;
let moneyIn: RpcServer | undefined;
let edge: ServiceProcess;
let simulator: ServiceProcess;
let ports: { moneyIn: number; rails: number; simulator: number };
let told: Told[];
let failed: string[];
let reversed: string[];
let decide: (told: Told) => RailDecision;

async function startMoneyIn(): Promise<void> {
  const bill = { name: 'Budi', amountSen: 5_000_000n, merchantName: 'Toko' };
  const inquire = async () => ({ decision: RailDecision.ACCEPTED, bill });
  moneyIn = await startRpcServer({
    host: '127.0.0.1',
    port: ports.moneyIn,
    tls: undefined,
    log: testLog('money-in'),
    implementations: [
      implement(
        RailService,
        {
          inquireVirtualAccount: async ({ number }) => (number === VA ? inquire() : { decision: RailDecision.UNKNOWN }),
          inquireRetailCode: async ({ paymentCode }) => (paymentCode === CODE ? inquire() : { decision: RailDecision.EXPIRED }),
          notifyPayment: async ({ railReference: reference, amountSen, moneyTaken, payable }) => {
            const one = { reference, amountSen, moneyTaken, payable };
            const isKnown = told.some((earlier) => earlier.reference === reference);
            told.push(one);
            return { decision: isKnown ? RailDecision.DUPLICATE : decide(one) };
          },
          notifyCheckoutFailed: async ({ partnerReference }) => {
            failed.push(partnerReference);
            return { decision: RailDecision.ACCEPTED };
          },
          notifyReversed: async ({ partnerReference }) => {
            reversed.push(partnerReference);
            return { decision: RailDecision.ACCEPTED };
          },
        },
        [],
      ),
    ],
    ready: () => true,
  });
}

async function stopMoneyIn(): Promise<void> {
  await moneyIn?.close();
  moneyIn = undefined;
}

function startEdge(): Promise<ServiceProcess> {
  const away = `127.0.0.1:${ports.moneyIn}`;
  return startServiceProcess('edge', {
    EDGE_PORT: '0',
    RAILS_PORT: String(ports.rails),
    RAIL_PARTNERS: partnersFile,
    MONEY_IN_RPC: away,
    NATS_URL: 'nats://127.0.0.1:9',
    MERCHANT_RPC: away,
    LEDGER_RPC: away,
    MONEY_OUT_RPC: away,
    DIRECT_DEBIT_RPC: away,
    CARDS_RPC: away,
    BILLER_RPC: away,
    BILLER_PORT: '0',
    NOTIFIER_RPC: away,
  });
}

function startSimulator(): Promise<ServiceProcess> {
  return startServiceProcess('simulator', {
    SIMULATOR_PORT: String(ports.simulator),
    MONGODB_URI: mongo.uri,
    MONGODB_DB_PREFIX: mongo.databasePrefix,
    SIMULATOR_CLIENT_KEY: 'gerbang',
    SIMULATOR_CLIENT_SECRET: 'bank-secret',
    SIMULATOR_PUBLIC_KEY: base64(ours.publicKey),
    SIMULATOR_RAILS_URL: `http://127.0.0.1:${ports.rails}`,
    SIMULATOR_PRIVATE_KEY: base64(theirs.privateKey),
    SIMULATOR_RAIL_SECRET: secret,
    SIMULATOR_HMAC_RAILS: 'retail',
  });
}

beforeAll(async () => {
  mongo = await startTestMongo();
  ports = { moneyIn: await freePort(), rails: await freePort(), simulator: await freePort() };
  const asymmetric = { signature: 'RSA-SHA256', public_key: theirs.publicKey };
  const partners = [
    ...['va', 'qris', 'ewallet'].map((rail) => ({ partner_id: `sandbox-${rail}`, rail, ...asymmetric })),
    {
      partner_id: 'sandbox-retail',
      rail: 'retail',
      signature: 'HMAC-SHA512',
      public_key: theirs.publicKey,
      client_secret: secret,
    },
  ];
  writeFileSync(partnersFile, JSON.stringify({ partners }));
  await startMoneyIn();
  [edge, simulator] = await Promise.all([startEdge(), startSimulator()]);
});

beforeEach(() => {
  told = [];
  failed = [];
  reversed = [];
  decide = () => RailDecision.ACCEPTED;
});

afterEach(async () => {
  for (const rail of ['va', 'qris', 'ewallet', 'retail']) await control('DELETE', `rails/${rail}`);
});

afterAll(async () => {
  await simulator?.end();
  await edge?.end();
  await stopMoneyIn();
  await mongo?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function control(method: string, target: string, body?: object): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${ports.simulator}/sandbox/${target}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return response.json();
}

const payVa = (number: string, amount = 50_000) => control('POST', `virtual-accounts/${number}/pay`, { amount });
const payRetail = (code: string, amount = 50_000) => control('POST', `retail/${code}/pay`, { amount });

const booksSchema = z.object({
  items: z.array(
    z.object({
      reference_number: z.string(),
      transaction_id: z.string(),
      direction: z.string(),
      amount: z.object({ value: z.string(), currency: z.string() }),
      status: z.string(),
    }),
  ),
});
const books = async (rail: string) => booksSchema.parse(await control('GET', `rails/${rail}/books`)).items;

const credentials = () => ({
  url: `http://127.0.0.1:${ports.simulator}`,
  clientKey: 'gerbang',
  clientSecret: 'bank-secret',
  privateKey: ours.privateKey,
  partnerId: 'gerbang',
  channelId: '95221',
});
const soon = () => ({ signal: AbortSignal.timeout(5_000) });
const inAnHour = () => Date.now() + 3_600_000;

describe('a number at the bank', () => {
  test('is inquired and paid; the books have it', async () => {
    expect(await payVa(VA)).toEqual({ accepted: true });
    expect(told).toMatchObject([
      { amountSen: 5_000_000n, moneyTaken: false, payable: { case: 'virtualAccount', value: { number: VA } } },
    ]);
    const booked = (await books('va')).filter((item) => item.reference_number === told[0]?.reference);
    expect(booked).toMatchObject([{ transaction_id: VA, direction: 'in', amount: { value: '50000.00' }, status: 'success' }]);
  });

  test('that nobody knows is not paid', async () => {
    expect(await payVa('7001400000000000')).toMatchObject({ accepted: false, reason: expect.stringContaining('Not Found') });
    expect(told).toEqual([]);
  });

  test('whose payment the gateway refuses is not paid, and the books say so', async () => {
    decide = () => RailDecision.WRONG_AMOUNT;
    expect(await payVa(VA, 49_999)).toEqual({ accepted: false, reason: 'Invalid Amount' });
    const booked = (await books('va')).filter((item) => item.reference_number === told[0]?.reference);
    expect(booked).toMatchObject([{ status: 'failed' }]);
  });
});

describe('a code at the till, whose chain signs symmetrically', () => {
  test('is inquired and paid', async () => {
    expect(await payRetail(CODE)).toEqual({ accepted: true });
    expect(told).toMatchObject([{ payable: { case: 'retail', value: { paymentCode: CODE } } }]);
    expect(await payRetail('8620123456789014')).toMatchObject({
      accepted: false,
      reason: expect.stringContaining('Expired'),
    });
  });
});

describe('a QRIS code', () => {
  const generate = async (over: object = {}) => {
    const acquirer = openSnapQris({ ...credentials(), merchantId: 'toko' });
    const request = {
      partnerReference: `66${newUlid(Date.now())}`,
      amountSen: 2_500_000n,
      merchantName: 'Toko Édelweiß',
      merchantCity: 'Jakarta',
      expiresAtMs: inAnHour(),
      ...over,
    };
    const made = await acquirer.generate(request, soon());
    if (made.outcome !== 'succeeded') throw new Error(`not generated: ${JSON.stringify(made)}`);
    return { acquirer, request, made };
  };

  test('is paid once, with its tip, and queried alike', async () => {
    const tip = { indicator: 'percentage' as const, basisPoints: 1_000 };
    const { acquirer, request, made } = await generate({ tip });
    expect(decodeQris(made.payload)).toMatchObject({ type: 'mpm-dynamic', amountSen: 2_500_000n, tip });
    expect(await acquirer.generate(request, soon())).toEqual(made);
    const name = { partnerReference: request.partnerReference, railReference: made.railReference };
    expect(await acquirer.query(name, soon())).toEqual({ outcome: 'pending' });
    expect(await control('POST', 'qris/pay', { qr_data: made.payload, amount: 1 })).toMatchObject({ accepted: false });
    expect(await control('POST', 'qris/pay', { qr_data: made.payload })).toEqual({ accepted: true });
    expect(await control('POST', 'qris/pay', { qr_data: made.payload })).toMatchObject({ accepted: false });
    expect(told).toMatchObject([
      {
        reference: made.railReference,
        amountSen: 2_750_000n,
        moneyTaken: true,
        payable: { case: 'qris', value: { partnerReference: request.partnerReference, tipSen: 250_000n } },
      },
    ]);
    expect(await acquirer.query(name, soon())).toMatchObject({
      outcome: 'paid',
      railReference: made.railReference,
      amountSen: 2_750_000n,
    });
    expect(await acquirer.cancel(name, soon())).toMatchObject({ outcome: 'failed' });
    expect((await books('qris')).filter((item) => item.transaction_id === request.partnerReference)).toMatchObject([
      { amount: { value: '27500.00' }, status: 'success', direction: 'in' },
    ]);
    await acquirer.close();
  });

  test('that was paid is reversed, and the gateway is told so each time', async () => {
    const { acquirer, request, made } = await generate();
    const reverse = () => control('POST', 'qris/reverse', { qr_data: made.payload });
    expect(await reverse()).toMatchObject({ accepted: false });
    await control('POST', 'qris/pay', { qr_data: made.payload });
    expect([await reverse(), await reverse()]).toEqual([{ accepted: true }, { accepted: true }]);
    expect(reversed).toEqual([request.partnerReference, request.partnerReference]);
    expect((await books('qris')).filter((item) => item.transaction_id === made.railReference)).toMatchObject([
      { amount: { value: '25000.00' }, status: 'success', direction: 'out' },
    ]);
    await acquirer.close();
  });

  test('that is withdrawn, expired, unknown or none is not paid', async () => {
    const { acquirer, request, made } = await generate();
    const name = { partnerReference: request.partnerReference, railReference: made.railReference };
    expect(await acquirer.cancel(name, soon())).toEqual({ outcome: 'succeeded' });
    expect(await acquirer.cancel(name, soon())).toEqual({ outcome: 'succeeded' });
    expect(await control('POST', 'qris/pay', { qr_data: made.payload })).toMatchObject({ accepted: false });
    expect(await acquirer.query(name, soon())).toMatchObject({ outcome: 'failed' });
    const expired = await generate({ expiresAtMs: Date.now() - 1_000 });
    expect(await control('POST', 'qris/pay', { qr_data: expired.made.payload })).toEqual({
      accepted: false,
      reason: 'The code has expired',
    });
    expect(await control('POST', 'qris/pay', { qr_data: 'nonsense' })).toMatchObject({ accepted: false });
    expect(told).toEqual([]);
    await acquirer.close();
    await expired.acquirer.close();
  });
});

describe('an e-wallet', () => {
  const ask = async () => {
    const wallet = openSnapEwallet(credentials());
    const request = {
      partnerReference: `88${newUlid(Date.now())}`,
      channel: 'DANA',
      amountSen: 1_000_000n,
      expiresAtMs: inAnHour(),
    };
    const made = await wallet.createPayment(request, soon());
    if (made.outcome !== 'pending') throw new Error(`not asked: ${JSON.stringify(made)}`);
    return { wallet, name: { ...request, railReference: made.railReference } };
  };
  const confirm = (reference: string, outcome: string) => control('POST', `ewallet/${reference}/confirm`, { outcome });

  test('is confirmed once, inquired and refunded', async () => {
    const { wallet, name } = await ask();
    expect(await wallet.inquirePayment(name, soon())).toEqual({ outcome: 'pending' });
    expect(await confirm(name.partnerReference, 'success')).toEqual({ accepted: true });
    expect(await confirm(name.partnerReference, 'failed')).toMatchObject({ accepted: false });
    expect(told).toMatchObject([{ reference: name.railReference, payable: { case: 'ewallet' }, moneyTaken: true }]);
    expect(await wallet.inquirePayment(name, soon())).toMatchObject({ outcome: 'paid', amountSen: 1_000_000n });
    const refund = { ...name, refundReference: newUlid(Date.now()), refundSen: 400_000n, reason: 'returned' };
    const given = await wallet.refundPayment(refund, soon());
    expect(given).toMatchObject({ outcome: 'succeeded' });
    expect(await wallet.refundPayment(refund, soon())).toEqual(given);
    const tooMuch = { ...refund, refundReference: newUlid(Date.now()), refundSen: 600_001n };
    expect(await wallet.refundPayment(tooMuch, soon())).toMatchObject({ outcome: 'failed' });
    expect((await books('ewallet')).map((item) => item.direction)).toContain('out');
    await wallet.close();
  });

  test('has a page of its own, which works without scripts and leads back', async () => {
    const wallet = openSnapEwallet(credentials());
    const request = {
      partnerReference: `88${newUlid(Date.now())}`,
      channel: 'DANA',
      amountSen: 1_000_000n,
      returnUrl: 'https://shop.example/done',
      expiresAtMs: inAnHour(),
    };
    const made = await wallet.createPayment(request, soon());
    if (made.outcome !== 'pending' || made.redirectUrl === undefined) throw new Error('no page');
    const shown = await fetch(made.redirectUrl);
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Rp 10000.00')]);
    const submit = (outcome: string) =>
      fetch(String(made.redirectUrl), { method: 'POST', body: new URLSearchParams({ outcome }), redirect: 'manual' });
    expect((await submit('perhaps')).status).toBe(422);
    const sent = await submit('success');
    expect([sent.status, sent.headers.get('location')]).toEqual([303, 'https://shop.example/done']);
    expect(told).toMatchObject([{ reference: made.railReference }]);
    expect((await submit('failed')).status).toBe(409);
    expect((await fetch(made.redirectUrl)).status).toBe(410);
    await wallet.close();
  });

  test('that is declined says so; one that is canceled can not be confirmed', async () => {
    const { wallet, name } = await ask();
    expect(await confirm(name.partnerReference, 'failed')).toEqual({ accepted: true });
    expect(failed).toEqual([name.partnerReference]);
    expect(await wallet.inquirePayment(name, soon())).toMatchObject({ outcome: 'failed' });
    const other = await ask();
    expect(await other.wallet.cancelPayment(other.name, soon())).toEqual({ outcome: 'succeeded' });
    expect(await confirm(other.name.partnerReference, 'success')).toMatchObject({ accepted: false });
    expect(await confirm('nobody', 'success')).toMatchObject({ accepted: false });
    expect(told).toEqual([]);
    await wallet.close();
    await other.wallet.close();
  });
});

describe('what a rail is forced to', () => {
  test('decline, be out of order, or be slow to tell', async () => {
    await control('PUT', 'rails/va', { outcome: 'failed' });
    expect(await payVa(VA)).toEqual({ accepted: false, reason: 'Do Not Honor' });
    await control('PUT', 'rails/va', { outcome: 'error' });
    expect(await payVa(VA)).toMatchObject({ accepted: false });
    await control('PUT', 'rails/va', { error_rate: 1 });
    await payVa(VA);
    await control('PUT', 'rails/va', { outcome: 'timeout' });
    const before = told.length;
    expect(await payVa(VA)).toMatchObject({ accepted: true, reason: expect.stringContaining('not acknowledged') });
    expect(told.length).toBe(before);
    await eventually('told after all', () => told.length > before, 15_000);
  });
});

describe('a payment that the gateway does not acknowledge', () => {
  test('is told again until it does, though listener and simulator were restarted; the money counts as taken by then', async () => {
    const wallet = openSnapEwallet(credentials());
    const request = {
      partnerReference: `88${newUlid(Date.now())}`,
      channel: 'OVO',
      amountSen: 700n,
      expiresAtMs: inAnHour(),
    };
    await wallet.createPayment(request, soon());
    await edge.end('SIGKILL');
    expect(await control('POST', `ewallet/${request.partnerReference}/confirm`, { outcome: 'success' })).toEqual({
      accepted: true,
    });
    await simulator.end('SIGKILL');
    [edge, simulator] = await Promise.all([startEdge(), startSimulator()]);
    await eventually('told', () => told.some((one) => one.amountSen === 700n), 30_000);
    await wallet.close();
  });

  test('is told again when money-in was away, and counts once', async () => {
    let attempts = 0;
    decide = () => {
      // The first answer is lost: money-in dies between its decision and its answer.
      if (++attempts === 1) throw new Error('killed');
      return RailDecision.ACCEPTED;
    };
    expect(await payVa(VA)).toMatchObject({ accepted: true, reason: expect.stringContaining('not acknowledged') });
    await stopMoneyIn();
    await startMoneyIn();
    await eventually('told again', () => told.length >= 2, 30_000);
    expect(new Set(told.map(({ reference }) => reference)).size).toBe(1);
    expect(told.at(0)?.moneyTaken).toBe(false);
    expect(told.at(-1)?.moneyTaken).toBe(true);
    const reference = told.at(0)?.reference;
    await eventually('the books say so', async () =>
      (await books('va')).some((item) => item.reference_number === reference && item.status === 'success'),
    );
  });
});
