import { generateKeyPairSync } from 'node:crypto';
import { createLogger } from '@gerbang/runtime';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Edge, orderOf, startEdge } from './edge-harness.ts';
import { type RailsEdge, startRailsEdge } from './rails-harness.ts';

const written: string[] = [];
/** Each test writes fewer lines than an address may have; the addresses of the merchants' tests differ by X-Forwarded-For. */
const log = createLogger({ service: 'edge', level: 'info' }, { write: (line) => void written.push(line) });
const events = () =>
  written.map((line): Record<string, unknown> => JSON.parse(line)).filter(({ msg }) => msg === 'security_event');
const onlyEvent = () => eventually('the event', () => events()[0]);

let edge: Edge;
let rails: RailsEdge;
let address = 0;

beforeAll(async () => {
  edge = await startEdge({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_PER_MINUTE: '2' }, { log });
  rails = await startRailsEdge({ log });
});

beforeEach(() => {
  written.length = 0;
  address++;
});

afterAll(async () => {
  await edge?.close();
  await rails?.close();
});

const PATH = '/api/v1.0/balance-inquiry';
const from = () => ({ 'x-forwarded-for': `192.0.2.${address}` });
const metricsOf = async ({ service }: Edge) => (await fetch(`http://127.0.0.1:${service.adminPort}/metrics`)).text();

describe('the merchant listener', () => {
  const allowed = () => edge.merchant({ merchantWhitelist: ['192.0.2.0/24'] });

  test('a token that is none: 401, with the partner id that is claimed', async () => {
    const reply = await edge.send('GET', PATH, {
      headers: { ...from(), authorization: 'Bearer a.b.c', 'x-partner-id': 'somebody' },
    });
    expect(reply.http).toBe(401);
    expect(await onlyEvent()).toMatchObject({
      listener: 'http',
      kind: 'unauthenticated',
      reason: 'unauthorized',
      route: PATH,
      address: `192.0.2.${address}`,
      client_id: 'somebody',
      identity: 'claimed',
      trace_id: reply.headers.get('x-request-id'),
    });
    expect(await metricsOf(edge)).toMatch(
      /gerbang_security_events_total\{[^}]*listener="http",kind="unauthenticated",reason="unauthorized"[^}]*\} [1-9]/,
    );
  });

  test('an address that is not on the whitelist: 403, with the client id that was proved', async () => {
    const merchant = edge.merchant({ merchantWhitelist: ['198.51.100.1'] });
    expect((await edge.send('GET', PATH, { headers: { ...from(), ...edge.signedIn(merchant) } })).http).toBe(403);
    expect(await onlyEvent()).toMatchObject({
      kind: 'forbidden',
      reason: 'ip_not_allowed',
      client_id: merchant.clientId,
      merchant_id: merchant.merchantId,
      identity: 'authenticated',
    });
  });

  test('too many requests: 429, with the client id that was proved', async () => {
    const merchant = allowed();
    edge.fakes.ledger.getBalance = async () => ({});
    const ask = () => edge.send('GET', PATH, { headers: { ...from(), ...edge.signedIn(merchant) } });
    expect([(await ask()).http, (await ask()).http, (await ask()).http]).toEqual([200, 200, 429]);
    expect(await onlyEvent()).toMatchObject({
      kind: 'rate_limited',
      reason: 'rate_limited',
      client_id: merchant.clientId,
      identity: 'authenticated',
    });
  });

  test('a signature that is wrong: 401, and nothing of what was sent is in the log', async () => {
    const merchant = allowed();
    const order: Record<string, unknown> = { ...orderOf(merchant), description: 'for-nobody-else' };
    const path = '/api/v2.0/disbursement/transfer';
    const reply = await edge.sendSigned(merchant, 'POST', path, order, { headers: from(), secret: 'wrong' });
    expect(reply.http).toBe(401);
    expect(await onlyEvent()).toMatchObject({ reason: 'signature_invalid', client_id: merchant.clientId, route: path });
    const [, payload = 'x', proof = 'x'] = edge.fakes.token(merchant).split('.');
    for (const secret of [payload, proof, merchant.clientSecret, 'for-nobody-else', String(order.bank_account_number)]) {
      expect(written.join('')).not.toContain(secret);
    }
  });

  test('a client that guesses secrets: 401, with the client id of its Basic credentials, and not their secret', async () => {
    const merchant = allowed();
    const basic = Buffer.from(`${merchant.clientId}:a-guessed-secret`).toString('base64');
    const headers = { ...from(), authorization: `Basic ${basic}`, 'x-partner-id': merchant.partnerId };
    expect(
      (await edge.send('POST', '/api/v1.0/access-token/b2b', { headers, body: { grant_type: 'client_credentials' } })).http,
    ).toBe(401);
    expect(await onlyEvent()).toMatchObject({ client_id: merchant.clientId, identity: 'claimed' });
    for (const secret of ['a-guessed-secret', basic]) expect(written.join('')).not.toContain(secret);
  });

  test('what succeeds, is not found or is malformed is none', async () => {
    const merchant = allowed();
    const headers = { ...from(), ...edge.signedIn(merchant) };
    await edge.send('GET', PATH, { headers });
    await edge.send('GET', '/nowhere', { headers });
    await edge.send('POST', '/api/v1.0/accounts', { headers, raw: '{' });
    await eventually('the lines', () => written.filter((line) => line.includes('"msg":"request"')).length === 3);
    expect(events()).toEqual([]);
  });

  test('a flood writes five lines', async () => {
    const headers = { ...from(), 'x-partner-id': 'somebody' };
    await Promise.all(Array.from({ length: 50 }, () => edge.send('GET', PATH, { headers })));
    await eventually('the lines', () => written.filter((line) => line.includes('"msg":"request"')).length === 50);
    expect(events()).toHaveLength(5);
  });
});

test('every reason is counted from 0 on, on every listener', async () => {
  const fresh = await startEdge();
  try {
    const metrics = await metricsOf(fresh);
    for (const [listener, kind, reason] of [
      ['http', 'unauthenticated', 'unauthorized'],
      ['biller', 'unauthenticated', 'signature_invalid'],
      ['http', 'forbidden', 'ip_not_allowed'],
      ['rails', 'unauthenticated', 'unauthorized_signature'],
      ['rails', 'rate_limited', 'too_many_requests'],
    ]) {
      expect(metrics).toMatch(new RegExp(`listener="${listener}",kind="${kind}",reason="${reason}"[^}]*\\} 0`));
    }
  } finally {
    await fresh.close();
  }
});

test('the biller listener has its own name', async () => {
  await edge.send('GET', '/api/v1/prepaid/products', { headers: { ...from(), 'x-partner-id': 'somebody' } });
  expect(await onlyEvent()).toMatchObject({ listener: 'biller', kind: 'unauthenticated', route: '/api/v1/prepaid/products' });
});

describe('the rails listener', () => {
  const INQUIRY = '/v1.0/transfer-va/inquiry';

  test('a signature that is wrong: 401, with the partner id that is claimed', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    expect((await rails.call(INQUIRY, {}, { key: privateKey })).http).toBe(401);
    expect(await onlyEvent()).toMatchObject({
      listener: 'rails',
      kind: 'unauthenticated',
      reason: 'unauthorized_signature',
      route: INQUIRY,
      client_id: 'bank',
      identity: 'claimed',
      address: '127.0.0.1',
    });
  });

  test('a service of another rail: 403, with the partner id that was proved', async () => {
    const wallet = {
      originalPartnerReferenceNo: '8801',
      originalReferenceNo: 'w-1',
      latestTransactionStatus: '00',
      amount: { value: '10000.00', currency: 'IDR' },
      finishedTime: '2026-11-21T15:04:05+07:00',
    };
    const reply = await rails.call('/v1.0/debit/notify', wallet);
    expect(reply.http).toBe(403);
    expect(await onlyEvent()).toMatchObject({
      kind: 'forbidden',
      reason: 'feature_not_allowed',
      client_id: 'bank',
      identity: 'authenticated',
    });
  });
});
