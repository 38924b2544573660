import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Edge, startEdge } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

/** Half an hour before midnight in Jakarta, so that the day there and the day in UTC differ from each other's neighbours. */
const REAL_NOW_MS = Date.parse('2026-11-21T16:30:00Z');
const TODAY = '20261121';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_TOKEN_PER_MINUTE: '30' }, { realNow: () => REAL_NOW_MS });
});
afterAll(() => edge.close());

const grant = { grant_type: 'client_credentials' };
const basicOf = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const signatureOf = (merchant: FakeMerchant, day: string) =>
  createHmac('sha512', merchant.clientSecret).update(`${merchant.clientId}_${merchant.clientSecret}_${day}`).digest('hex');

const versions = [
  {
    version: 'v1.0',
    path: '/api/v1.0/access-token/b2b',
    headersOf: (merchant: FakeMerchant): Record<string, string> => ({
      'x-partner-id': merchant.partnerId,
      authorization: basicOf(merchant.clientId, merchant.clientSecret),
    }),
  },
  {
    version: 'v1.1',
    path: '/api/v1.1/access-token/b2b',
    headersOf: (merchant: FakeMerchant): Record<string, string> => ({
      'x-partner-id': merchant.partnerId,
      'x-client-id': merchant.clientId,
      'x-signature': signatureOf(merchant, TODAY),
    }),
  },
];

describe.each(versions)('$version', ({ path, headersOf }) => {
  const ask = (headers: Record<string, string>, body: unknown = grant) => edge.send('POST', path, { headers, body });

  test('a token, its type and its life', async () => {
    const reply = await ask(headersOf(edge.merchant()));
    expect(reply.http).toBe(200);
    expect(reply.json).toEqual({
      status: 200,
      success: true,
      data: {
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        token_type: 'Bearer',
        expires_in: 900,
        expires_at: '2027-01-15T08:00:00.000Z',
      },
    });
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  test('a form body', async () => {
    const headers = { ...headersOf(edge.merchant()), 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    expect((await edge.send('POST', path, { headers, raw: 'grant_type=client_credentials' })).http).toBe(200);
    expect((await edge.send('POST', path, { headers, raw: 'grant_type=password' })).http).toBe(422);
  });

  test.each([
    ['wrong', { grant_type: 'password' }],
    ['no text', { grant_type: { $gt: '' } }],
    ['missing', {}],
    ['without a body', undefined],
  ])('grant_type %s', async (_what, body) => {
    const reply = await edge.send('POST', path, { headers: headersOf(edge.merchant()), body });
    expect(reply.http).toBe(422);
    expect(reply.json).toMatchObject({ error: { errors: { grant_type: [expect.any(String)] } } });
  });

  test('unparsable bodies', async () => {
    expect((await edge.send('POST', path, { headers: headersOf(edge.merchant()), raw: '{"grant_type":' })).http).toBe(400);
  });

  test('everything that is wrong with the credentials is one and the same 401', async () => {
    const merchant = edge.merchant();
    const stranger = edge.merchant();
    const disabled = edge.merchant({ active: false });
    const right = headersOf(merchant);
    const without = (name: string) => Object.fromEntries(Object.entries(right).filter(([key]) => key !== name));
    const attempts: Record<string, string>[] = [
      { ...right, 'x-partner-id': stranger.partnerId },
      { ...headersOf({ ...merchant, clientSecret: 'guessed' }) },
      { ...headersOf({ ...merchant, clientId: 'nobody' }) },
      { ...headersOf({ ...merchant, clientId: '' }) },
      { ...headersOf({ ...merchant, clientId: 'x'.repeat(2_000) }) },
      { ...headersOf(stranger), 'x-partner-id': merchant.partnerId },
      headersOf(disabled),
      without('authorization'),
      without('x-signature'),
      without('x-client-id'),
    ];
    // Each version has some of these headers only: taking away another one leaves what is right.
    const wrong = attempts.filter((headers) => JSON.stringify(headers) !== JSON.stringify(right));
    const bodies = new Set<string>();
    for (const headers of wrong) {
      const reply = await ask(headers);
      expect(reply.http).toBe(401);
      bodies.add(reply.text);
    }
    expect([...bodies]).toEqual(['{"status":401,"success":false,"error":{"code":401,"message":"Invalid credentials"}}']);
  });

  test('X-PARTNER-ID is missing', async () => {
    const { 'x-partner-id': _, ...headers } = headersOf(edge.merchant());
    const reply = await ask(headers);
    expect(reply.http).toBe(422);
    expect(reply.json).toMatchObject({ error: { errors: { 'X-PARTNER-ID': ['is required'] } } });
  });

  test('the whitelist holds here too, for those who have proved who they are', async () => {
    const merchant = edge.merchant();
    const outside = { 'x-forwarded-for': '198.51.100.7' };
    expect((await ask({ ...headersOf(merchant), ...outside })).http).toBe(403);
    expect((await ask({ ...headersOf({ ...merchant, clientSecret: 'guessed' }), ...outside })).http).toBe(401);
  });

  test('the rate of a client and address bounds guessing', async () => {
    const merchant = edge.merchant();
    const guess = headersOf({ ...merchant, clientSecret: 'guessed' });
    for (let i = 0; i < 30; i++) expect((await ask(guess)).http).toBe(401);
    const limited = await ask(headersOf(merchant));
    expect(limited.http).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask(headersOf(edge.merchant()))).http).toBe(200);
  });
});

test('v1.0: what is no Basic header', async () => {
  const merchant = edge.merchant();
  const header = basicOf(merchant.clientId, merchant.clientSecret);
  for (const authorization of ['Basic %%%', 'Basic', 'Basic eDp5', header.replace('Basic', 'Bearer'), `${header} x`]) {
    const headers = { 'x-partner-id': merchant.partnerId, authorization };
    expect((await edge.send('POST', '/api/v1.0/access-token/b2b', { headers, body: grant })).http, authorization).toBe(401);
  }
});

test('v1.1: only the signature of today in Jakarta, whole and in lower case', async () => {
  const merchant = edge.merchant();
  const good = signatureOf(merchant, TODAY);
  for (const signature of [
    signatureOf(merchant, '20261120'),
    signatureOf(merchant, '20261122'),
    good.toUpperCase(),
    good.slice(1),
    '',
  ]) {
    const headers = { 'x-partner-id': merchant.partnerId, 'x-client-id': merchant.clientId, 'x-signature': signature };
    expect((await edge.send('POST', '/api/v1.1/access-token/b2b', { headers, body: grant })).http).toBe(401);
  }
});
