import { create } from '@bufbuild/protobuf';
import { RefusalError, refuse } from '@gerbang/core';
import { CheckBeneficiaryResponseSchema } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Edge, orderOf, startEdge, transferOf } from './edge-harness.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_PER_MINUTE: '3' });
});
afterAll(() => edge.close());

/**
 * Contract §2, order of checks. Each row keeps everything that is wrong in the rows below it and mends what the rows above
 * stumbled on.
 */
const stages = [
  { stage: 'X-PARTNER-ID', mend: [], http: 422, spCode: 'SP018' },
  { stage: 'bearer token', mend: ['partner'], http: 401, spCode: 'SP013' },
  { stage: 'partner id of the token', mend: ['partner', 'bearer'], http: 401, spCode: 'SP013' },
  { stage: 'caller IP', mend: ['partner', 'bearer', 'ownPartner'], http: 403, spCode: 'SP017' },
  { stage: 'unparsable JSON', mend: ['partner', 'bearer', 'ownPartner', 'ip'], http: 400, spCode: 'SP012' },
  { stage: 'request signature', mend: ['partner', 'bearer', 'ownPartner', 'ip', 'json'], http: 401, spCode: 'SP016' },
  { stage: 'body', mend: ['partner', 'bearer', 'ownPartner', 'ip', 'json', 'signature'], http: 422, spCode: 'SP018' },
  {
    stage: 'business rules',
    mend: ['partner', 'bearer', 'ownPartner', 'ip', 'json', 'signature', 'body'],
    http: 400,
    spCode: 'SP003',
  },
];

describe.each([
  { version: 'v2', path: '/api/v2.0/disbursement/transfer' },
  { version: 'v1', path: '/api/v1.0/disbursement/transfer' },
])('$version', ({ version, path }) => {
  test.each(stages)('$stage', async ({ mend, http, spCode }) => {
    const mended = new Set(mend);
    const merchant = edge.merchant();
    const other = edge.merchant();
    edge.fakes.disbursement.transfer = async () => {
      throw new RefusalError(refuse('insufficient_balance'));
    };
    const amount = version === 'v1' ? 10_000 : { value: '10000', currency: 'IDR' };
    const body = mended.has('body') ? { ...orderOf(merchant), amount } : { amount: -1 };
    const headers = {
      'x-forwarded-for': mended.has('ip') ? '127.0.0.1, 127.0.0.1' : '203.0.113.9',
      ...(mended.has('partner') && { 'x-partner-id': mended.has('ownPartner') ? merchant.partnerId : other.partnerId }),
      ...(mended.has('bearer') && { authorization: `Bearer ${edge.fakes.token(merchant)}` }),
    };
    const reply = mended.has('signature')
      ? await edge.sendSigned(merchant, 'POST', path, body)
      : await edge.send('POST', path, { headers, raw: mended.has('json') ? JSON.stringify(body) : '{"a":' });
    expect(reply.http).toBe(http);
    if (version === 'v2') expect(reply.json).toMatchObject({ response_code: spCode, data: { message: expect.any(String) } });
    else expect(reply.json).toMatchObject({ status: http, success: false, error: { code: http, message: expect.any(String) } });
  });
});

test('the route comes first, also for those who are nobody', async () => {
  const nothing = await edge.send('GET', '/api/v1.0/no-such-thing');
  expect([nothing.http, nothing.json]).toMatchObject([404, { status: 404, success: false, error: { code: 404 } }]);
  const nothing2 = await edge.send('POST', '/api/v2.0/disbursement/no-such-thing', { raw: '{"a":' });
  expect([nothing2.http, nothing2.json.response_code]).toEqual([404, 'SP014']);
  const wrong = await edge.send('GET', '/api/v1.0/disbursement/transfer?secret=1');
  expect(wrong.http).toBe(405);
  expect(wrong.headers.get('allow')).toBe('POST');
  expect(wrong.json.error).toEqual({
    code: 4059901,
    message: 'The GET method is not supported for route /api/v1.0/disbursement/transfer. Supported methods: POST.',
  });
  const wrong2 = await edge.send('DELETE', '/api/v2.0/disbursement/list');
  expect([wrong2.http, wrong2.json.response_code, wrong2.headers.get('allow')]).toEqual([405, 'SP012', 'GET']);
});

test.each([
  ['PATCH', '/api/v1.0/callback-settings', 'GET, PUT'],
  ['OPTIONS', '/api/v1.0/balance-inquiry', 'GET'],
  ['DELETE', '/api/v1.0/balance-inquiry/01ARZ3NDEKTSV4RRFFQ69G5FAV', 'GET'],
  ['GET', '/api/v1.1/access-token/b2b', 'POST'],
])('%s %s is a wrong method', async (method, path, allow) => {
  const reply = await edge.send(method, path);
  expect([reply.http, reply.headers.get('allow')]).toEqual([405, allow]);
});

test.each(['/', '/api/v1.0', '/api/v1.0/balance-inquiry/', '/API/v1.0/balance-inquiry', '/api/v3.0/x', '/api/v1.0/%zz', '/%00'])(
  '%s is no route',
  async (path) => {
    const reply = await edge.send('GET', path);
    expect([reply.http, reply.json.status]).toEqual([404, 404]);
  },
);

test('inquiry-status of v1.0 answers in the v2 envelope, its errors too', async () => {
  const path = '/api/v1.0/disbursement/inquiry-status';
  expect((await edge.send('GET', path)).json.response_code).toBe('SP012');
  expect((await edge.send('POST', path)).json.response_code).toBe('SP018');
});

test('the rate limit comes after the IP and before the body; it is the merchant’s own', async () => {
  edge.fakes.disbursement.checkBeneficiary = async () => create(CheckBeneficiaryResponseSchema, {});
  const merchant = edge.merchant();
  const path = '/api/v2.0/disbursement/check-beneficiary';
  const headers = edge.signedIn(merchant);
  for (let i = 0; i < 5; i++) {
    const outside = await edge.send('POST', path, { headers: { ...headers, 'x-forwarded-for': '203.0.113.9' } });
    expect(outside.json.response_code).toBe('SP017');
  }
  for (let i = 0; i < 3; i++) expect((await edge.send('POST', path, { headers, body: {} })).http).toBe(422);
  const limited = await edge.send('POST', path, { headers, raw: '{"a":' });
  expect([limited.http, limited.json.response_code]).toEqual([429, 'SP019']);
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(limited.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  const limited1 = await edge.send('GET', '/api/v1.0/balance-inquiry', { headers });
  expect(limited1.http).toBe(429);
  expect(limited1.json).toEqual({ status: 429, success: false, error: { code: 429, message: expect.any(String) } });
  expect((await edge.send('POST', path, { headers: edge.signedIn(edge.merchant()), body: {} })).http).toBe(422);
});

test('the services behind are asked nothing for what the edge refuses', async () => {
  edge.fakes.disbursement.transfer = async () => ({ transfer: transferOf() });
  const merchant = edge.merchant();
  const asked = () => edge.fakes.calls.filter(({ method }) => method === 'transfer').length;
  const before = asked();
  await edge.sendSigned(merchant, 'POST', '/api/v2.0/disbursement/transfer', { ...orderOf(merchant), amount: null });
  await edge.sendSigned(merchant, 'POST', '/api/v2.0/disbursement/transfer', orderOf(merchant), { secret: 'wrong' });
  expect(asked()).toBe(before);
});
