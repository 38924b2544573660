import { createHmac, generateKeyPairSync } from 'node:crypto';
import { RefusalError, refuse } from '@gerbang/core';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Edge, startEdge } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

const PATH = '/api/v1.0/balance-inquiry';

describe('tokens', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge();
    edge.fakes.ledger.getBalance = async () => ({ availableSen: 1n });
  });
  afterAll(() => edge.close());
  const ask = (merchant: FakeMerchant, authorization: string) =>
    edge.send('GET', PATH, { headers: { 'x-partner-id': merchant.partnerId, authorization } });

  test('one that was issued is good for many calls, and its keys are asked for once', async () => {
    const merchant = edge.merchant();
    const authorization = `Bearer ${edge.fakes.token(merchant)}`;
    for (let i = 0; i < 5; i++) expect((await ask(merchant, authorization)).http).toBe(200);
    expect((await ask(merchant, authorization.replace('Bearer', 'bearer'))).http).toBe(200);
    const asked = (method: string) => edge.fakes.calls.filter((call) => call.method === method).length;
    expect(asked('listVerificationKeys')).toBe(1);
    expect(
      edge.fakes.calls.filter(
        ({ method, request }) => method === 'getAccess' && JSON.stringify(request).includes(merchant.merchantId),
      ),
    ).toHaveLength(1);
  });

  test('nothing else is', async () => {
    const merchant = edge.merchant();
    const { fakes } = edge;
    const good = fakes.token(merchant);
    const [header = '', payload = '', signature = ''] = good.split('.');
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const none = encode({ alg: 'none', typ: 'JWT' });
    const hs256 = encode({ alg: 'HS256', typ: 'JWT', kid: 'k1' });
    const mac = createHmac('sha256', 'k1').update(`${hs256}.${payload}`).digest('base64url');
    const now = Math.floor(Date.now() / 1_000);
    const tokens = [
      '',
      'a.b.c',
      `${none}.${payload}.`,
      `${none}.${payload}.AAAA`,
      `${hs256}.${payload}.${mac}`,
      `${header}.${payload}.AAAA`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${header}.${encode({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'other' })}.${signature}`,
      fakes.token(merchant, { key: generateKeyPairSync('ed25519').privateKey }),
      fakes.token(merchant, { header: { kid: 'unknown' } }),
      fakes.token(merchant, { header: { kid: undefined } }),
      fakes.token(merchant, { claims: { iss: 'somebody' } }),
      fakes.token(merchant, { claims: { iss: undefined } }),
      fakes.token(merchant, { claims: { exp: now - 1 } }),
      fakes.token(merchant, { claims: { exp: undefined } }),
      fakes.token(merchant, { claims: { gen: 2 } }),
      fakes.token(merchant, { claims: { gen: undefined } }),
      fakes.token(merchant, { claims: { cid: 'other' } }),
      fakes.token(merchant, { claims: { cid: undefined } }),
      fakes.token(merchant, { claims: { sub: 'nobody' } }),
      fakes.token(merchant, { claims: { padding: 'x'.repeat(5_000) } }),
      `${good} ${good}`,
    ];
    for (const token of tokens) {
      const reply = await ask(merchant, `Bearer ${token}`);
      expect([reply.http, reply.json], token).toEqual([
        401,
        { status: 401, success: false, error: { code: 401, message: 'Unauthorized' } },
      ]);
    }
    expect((await ask(merchant, `Basic ${good}`)).http).toBe(401);
    expect((await ask(merchant, `Bearer ${good}`)).http).toBe(200);
  });

  test('one that was issued after the secret was rotated is good at once, and the older ones are out with it', async () => {
    const merchant = edge.merchant();
    const older = `Bearer ${edge.fakes.token(merchant)}`;
    expect((await ask(merchant, older)).http).toBe(200);
    merchant.generation++;
    merchant.version++;
    expect((await ask(merchant, `Bearer ${edge.fakes.token(merchant)}`)).http).toBe(200);
    expect((await ask(merchant, older)).http).toBe(401);
  });

  test('one of a credential that was added just now is good at once', async () => {
    const merchant = edge.merchant();
    expect((await ask(merchant, `Bearer ${edge.fakes.token(merchant)}`)).http).toBe(200);
    merchant.clientId = `${merchant.clientId}-2`;
    merchant.version++;
    expect((await ask(merchant, `Bearer ${edge.fakes.token(merchant)}`)).http).toBe(200);
  });

  test('a flood of unknown keys makes the edge ask for them once at the most', async () => {
    const merchant = edge.merchant();
    const asked = () => edge.fakes.calls.filter(({ method }) => method === 'listVerificationKeys').length;
    const before = asked();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        ask(merchant, `Bearer ${edge.fakes.token(merchant, { header: { kid: `kid-${i}` } })}`),
      ),
    );
    expect(new Set(replies.map((reply) => reply.http))).toEqual(new Set([401]));
    expect(asked() - before).toBeLessThanOrEqual(1);
  });
});

test('an expired token is out, though it was verified while it was good', async () => {
  const now = { ms: Date.now() };
  const edge = await startEdge({}, { realNow: () => now.ms });
  try {
    edge.fakes.ledger.getBalance = async () => ({});
    const merchant = edge.merchant();
    const headers = edge.signedIn(merchant);
    expect((await edge.send('GET', PATH, { headers })).http).toBe(200);
    now.ms += 901_000;
    expect((await edge.send('GET', PATH, { headers })).http).toBe(401);
  } finally {
    await edge.close();
  }
});

test('access fails closed when the merchant service is silent, and comes back with it', async () => {
  const edge = await startEdge();
  const ready = () => fetch(`http://127.0.0.1:${edge.service.adminPort}/readyz`).then((response) => response.status);
  try {
    edge.fakes.ledger.getBalance = async () => ({});
    const merchant = edge.merchant();
    const ask = () => edge.send('GET', PATH, { headers: edge.signedIn(merchant) });
    expect((await ask()).http).toBe(200);
    await eventually('ready', async () => (await ready()) === 200);
    const silent = async () => {
      throw new RefusalError(refuse('unavailable'));
    };
    edge.fakes.merchant = { checkVersions: silent, getAccess: silent };
    const refused = await eventually('closed', async () => {
      const reply = await ask();
      return reply.http !== 200 && reply;
    });
    expect([refused.http, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(refused.json).toMatchObject({ status: 503, success: false, error: { code: 503 } });
    await eventually('not ready', async () => (await ready()) === 503);
    edge.fakes.merchant = {};
    await eventually('open again', async () => (await ask()).http === 200);
  } finally {
    await edge.close();
  }
}, 20_000);

describe('whitelist', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge({ TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8, fd00::/8' });
    edge.fakes.ledger.getBalance = async () => ({});
  });
  afterAll(() => edge.close());
  const lists = { merchantWhitelist: ['192.0.2.1', '198.51.100.0/24', '2001:db8::/32'], credentialWhitelist: ['203.0.113.5'] };

  test.each([
    ['192.0.2.1', 200],
    ['192.0.2.2', 403],
    ['198.51.100.77', 200],
    ['203.0.113.5', 200],
    ['2001:DB8:0::1', 200],
    ['2001:db9::1', 403],
    ['::ffff:192.0.2.1', 200],
    ['192.0.2.1:4711', 200],
    ['[2001:db8::1]:443', 200],
    ['192.0.2.1, 10.1.2.3', 200],
    ['192.0.2.1, 10.1.2.3, fd00::1', 200],
    ['192.0.2.1, 203.0.113.9', 403],
    ['192.0.2.1, unknown, 10.1.2.3', 403],
    ['unknown', 403],
    ['0300.0000.0002.0001', 403],
    ['192.0.2.1,', 403],
  ])('X-Forwarded-For: %s', async (forwarded, http) => {
    const headers = { ...edge.signedIn(edge.merchant(lists)), 'x-forwarded-for': forwarded };
    const reply = await edge.send('GET', PATH, { headers });
    expect(reply.http).toBe(http);
    const v2 = await edge.send('POST', '/api/v2.0/disbursement/check-beneficiary', { headers, body: {} });
    expect(v2.json.response_code).toBe(http === 200 ? 'SP018' : 'SP017');
  });

  test('an empty one lets nobody in', async () => {
    const headers = edge.signedIn(edge.merchant({ merchantWhitelist: [] }));
    expect((await edge.send('GET', PATH, { headers })).http).toBe(403);
  });
});

test('X-Forwarded-For of a peer that is no trusted proxy means nothing', async () => {
  const edge = await startEdge();
  try {
    edge.fakes.ledger.getBalance = async () => ({});
    const forwarded = { 'x-forwarded-for': '192.0.2.1' };
    const inside = edge.signedIn(edge.merchant());
    expect((await edge.send('GET', PATH, { headers: { ...inside, ...forwarded } })).http).toBe(200);
    const outside = edge.signedIn(edge.merchant({ merchantWhitelist: ['192.0.2.1'] }));
    expect((await edge.send('GET', PATH, { headers: { ...outside, ...forwarded } })).http).toBe(403);
  } finally {
    await edge.close();
  }
});
