import { create } from '@bufbuild/protobuf';
import { type RefusalCode, RefusalError, refuse, refuseField } from '@gerbang/core';
import { type Purchase, PurchaseSchema, PurchaseStatus } from '@gerbang/proto/gerbang/biller/v1/biller';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { legacy } from '../src/http/envelope-legacy.ts';
import { type Edge, type Reply, startEdge } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

const TOKEN = '12345678901234567890';
const REFERENCE = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const ACCOUNT = '01ARZ3NDEKTSV4RRFFQ69G5FAA';
const INQUIRY = '/api/v1/prepaid/inquiry';
const PAYMENT = '/api/v1/prepaid/payment';
const PRODUCTS = '/api/v1/prepaid/products';

let edge: Edge;
let merchant: FakeMerchant;
beforeAll(async () => {
  edge = await startEdge({ TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => edge.close());
beforeEach(() => {
  merchant = edge.merchant();
  edge.fakes.prepaid = {};
});

const asked = (data: object = {}) => ({
  command: 'plntok',
  data: { customer_id: '12345678901', product_code: 'PLN50', ...data },
});
const ordered = (data: object = {}) => ({ command: 'plntok', data: { reference_number: REFERENCE, ...data } });
const inquire = (body: unknown) => edge.send('POST', INQUIRY, { headers: edge.signedIn(merchant), body });
const pay = (body: unknown, headers: Record<string, string> = {}) =>
  edge.sendSigned(merchant, 'POST', PAYMENT, body, { headers });
const lastRequest = () => edge.fakes.calls.at(-1)?.request;

/** The fields that an error names. */
const fieldsOf = ({ data }: Reply['json']) => Object.keys(Object(data));

function purchaseOf(status: PurchaseStatus, over: Partial<Omit<Purchase, '$typeName' | '$unknown'>> = {}): Purchase {
  return create(PurchaseSchema, {
    referenceNumber: REFERENCE,
    transactionId: REFERENCE,
    accountId: ACCOUNT,
    command: 'plntok',
    productCode: 'PLN50',
    customerId: '12345678901',
    customerName: 'BUDI',
    amountSen: 50_000_00n,
    adminSen: 2_500_00n,
    status,
    createdAtMs: 1_800_000_000_000n,
    ...over,
  });
}

test('an inquiry answers what merchant-api.md shows: amounts in strings, a time without a zone', async () => {
  edge.fakes.prepaid.inquirePrepaid = async () => ({
    inquiry: {
      referenceNumber: REFERENCE,
      command: 'plntok',
      productCode: 'PLN50',
      customerId: '12345678901',
      customerName: 'BUDI',
      amountSen: 50_000_00n,
      adminSen: 2_500_00n,
      createdAtMs: 1_800_000_000_000n,
    },
  });
  const { http, json } = await inquire(asked());
  expect([http, json]).toEqual([
    200,
    {
      command: 'plntok',
      response_code: '00',
      response_text: 'Success',
      data: {
        amount: '50000',
        customer_name: 'BUDI',
        customer_id: '12345678901',
        reference_number: REFERENCE,
        price: '52500',
        created_at: '2027-01-15 15:00:00',
      },
    },
  ]);
  expect(lastRequest()).toMatchObject({ merchantId: merchant.merchantId, customerId: '12345678901', productCode: 'PLN50' });
});

describe('a payment', () => {
  test('is answered with its token, replayed or not', async () => {
    let replayed = false;
    const processedAtMs = 1_800_000_001_000n;
    const purchase = purchaseOf(PurchaseStatus.SUCCESS, { serialNumber: 'SN1', processedAtMs });
    edge.fakes.prepaid.payPrepaid = async () => ({ purchase, token: TOKEN, replayed });
    const { http, json } = await pay(ordered({ account_id: ACCOUNT }), { 'idempotency-key': 'k' });
    expect([http, json]).toEqual([
      200,
      {
        command: 'plntok',
        response_code: '00',
        response_text: 'Success',
        data: {
          reference_number: REFERENCE,
          transaction_id: REFERENCE,
          account_id: ACCOUNT,
          product_code: 'PLN50',
          customer_id: '12345678901',
          customer_name: 'BUDI',
          amount: '50000',
          admin_fee: '2500',
          price: '52500',
          token: TOKEN,
          serial_number: 'SN1',
          status: 'success',
          created_at: '2027-01-15 15:00:00',
          processed_at: '2027-01-15 15:00:01',
        },
      },
    ]);
    expect(lastRequest()).toMatchObject({
      referenceNumber: REFERENCE,
      accountId: ACCOUNT,
      idempotencyKey: { key: 'k', route: `POST ${PAYMENT}` },
    });
    replayed = true;
    const again = await pay(ordered(), { 'idempotency-key': 'k' });
    expect([again.json.data, again.headers.get('idempotency-replayed')]).toEqual([json.data, 'true']);
    expect(lastRequest()).toMatchObject({ accountId: '' });
  });

  test('that is open has no token yet', async () => {
    edge.fakes.prepaid.payPrepaid = async () => ({ purchase: purchaseOf(PurchaseStatus.PENDING) });
    expect((await pay(ordered())).json.data).toMatchObject({ status: 'pending', token: null, processed_at: null });
  });

  test('that has failed is rejected, by its reference', async () => {
    const failed = { processedAtMs: 1_800_000_001_000n, failedCode: '4039618', failedReason: 'The meter is blocked' };
    edge.fakes.prepaid.payPrepaid = async () => ({ purchase: purchaseOf(PurchaseStatus.FAILED, failed), replayed: true });
    const { http, json, headers } = await pay(ordered());
    expect([http, json, headers.get('idempotency-replayed')]).toEqual([
      400,
      {
        command: 'plntok',
        response_code: '04',
        response_text: 'The meter is blocked',
        data: { reference_number: ['The meter is blocked'] },
      },
      'true',
    ]);
  });
});

test('products are listed, all or those of a command', async () => {
  edge.fakes.prepaid.listPrepaidProducts = async () => ({
    products: [
      { code: 'PULSA25', command: 'pulsa', name: 'Mobile credit', amountSen: 25_000_00n, adminSen: 0n, customerDigitsMin: 10 },
    ].map((product) => ({ ...product, customerDigitsMax: 13, customerPrefix: '08' })),
  });
  const list = (query: string) => edge.send('GET', PRODUCTS + query, { headers: edge.signedIn(merchant) });
  expect((await list('?command=pulsa')).json).toMatchObject({
    command: 'pulsa',
    response_code: '00',
    data: { items: [{ product_code: 'PULSA25', amount: '25000', admin_fee: '0', price: '25000', customer_id_prefix: '08' }] },
  });
  expect(lastRequest()).toMatchObject({ command: 'pulsa' });
  expect((await list('')).json.command).toBeNull();
  expect((await list('?command=A%20B')).json).toMatchObject({ response_code: '04', data: { command: [expect.any(String)] } });
});

describe('what is wrong with a request is 04 and names the fields', () => {
  test.each([
    [{}, null, ['command', 'data']],
    [{ command: 7, data: {} }, null, ['command', 'customer_id', 'product_code']],
    [{ command: 'PLN TOK', data: asked().data }, 'PLN TOK', ['command']],
    [{ command: 'plntok', data: 'x' }, 'plntok', ['data']],
    [asked({ customer_id: 12345678901 }), 'plntok', ['customer_id']],
    [asked({ customer_id: '１２３' }), 'plntok', ['customer_id']],
    [asked({ product_code: 'pln50' }), 'plntok', ['product_code']],
    ['text', null, ['body']],
  ])('%j', async (body, command, fields) => {
    const { http, json } = await inquire(body);
    expect([http, json.command, json.response_code, fieldsOf(json)]).toEqual([422, command, '04', fields]);
    for (const messages of Object.values(Object(json.data))) expect(messages).toEqual([expect.any(String)]);
  });

  test('also where it is no JSON, or too large', async () => {
    const headers = edge.signedIn(merchant);
    const broken = await edge.send('POST', INQUIRY, { headers, raw: '{"a":' });
    expect([broken.http, broken.json]).toMatchObject([400, { response_code: '04', data: { body: [expect.any(String)] } }]);
    const large = await edge.send('POST', INQUIRY, { headers, raw: JSON.stringify('x'.repeat(300_000)) });
    expect([large.http, large.json.response_code]).toEqual([413, '04']);
  });
});

test.each<[RefusalCode, number, string, string[]]>([
  ['insufficient_balance', 400, '04', ['account_id']],
  ['account_limit', 400, '04', ['account_id']],
  ['account_not_found', 404, '04', ['account_id']],
  ['account_of_other_merchant', 403, '04', ['account_id']],
  ['frozen', 403, '04', ['account_id']],
  ['product_not_allowed', 403, '04', ['command']],
  ['idempotency_key_reused', 422, '04', ['Idempotency-Key']],
  ['idempotency_key_running', 409, '99', []],
  ['vendor_inactive', 503, '99', []],
  ['unavailable', 503, '99', []],
  ['overloaded', 503, '99', []],
  ['timeout', 504, '99', []],
  ['internal', 500, '99', []],
])('%s is HTTP %i, %s, and names %j', async (code, http, responseCode, fields) => {
  edge.fakes.prepaid.payPrepaid = async () => {
    throw new RefusalError(refuse(code));
  };
  const reply = await pay(ordered());
  expect([reply.http, reply.json.response_code, fieldsOf(reply.json)]).toEqual([http, responseCode, fields]);
  expect(reply.json.command).toBe('plntok');
  expect(reply.headers.has('retry-after')).toBe(responseCode === '99' && code !== 'internal');
});

test('a field that the biller names is named', async () => {
  edge.fakes.prepaid.inquirePrepaid = async () => {
    throw new RefusalError(refuseField('customer_id', 'is blocked by the biller'));
  };
  expect((await inquire(asked())).json.data).toEqual({ customer_id: ['is blocked by the biller'] });
});

describe('who calls, and paths, are refused in the v1 envelope, in the order of the checks', () => {
  const isV1 = ({ http, json }: Reply, code = http) =>
    expect(json).toMatchObject({ status: http, success: false, error: { code } });

  test.each([
    ['X-PARTNER-ID', {}, 422],
    ['token', { 'x-partner-id': 'p' }, 401],
  ])('%s', async (_what, headers, http) => {
    const reply = await edge.send('POST', INQUIRY, { headers, raw: '{"a":' });
    expect(reply.http).toBe(http);
    isV1(reply);
  });

  test('address', async () => {
    const headers = { ...edge.signedIn(merchant), 'x-forwarded-for': '203.0.113.9' };
    const reply = await edge.send('POST', INQUIRY, { headers, body: {} });
    expect(reply.http).toBe(403);
    isV1(reply);
  });

  test('signature, which comes before the body', async () => {
    const reply = await edge.sendSigned(merchant, 'POST', PAYMENT, { command: 7 }, { secret: 'wrong' });
    expect(reply.http).toBe(401);
    isV1(reply);
    const unsigned = await edge.send('POST', PAYMENT, { headers: edge.signedIn(merchant), body: ordered() });
    expect(unsigned.http).toBe(401);
  });

  test('method and path', async () => {
    const wrong = await edge.send('GET', PAYMENT);
    expect([wrong.http, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    isV1(wrong, 4059901);
    for (const path of ['/api/v1/prepaid/refund', '/api/v1/prepaid/', '/api/v1/prepaid/inquiry/']) {
      const none = await edge.send('POST', path);
      expect([path, none.http]).toEqual([path, 404]);
      isV1(none);
    }
  });
});

test('each host has its own paths, and they share the rates', async () => {
  const limited = await startEdge({ RATE_LIMIT_PER_MINUTE: '2' });
  try {
    for (const [base, path] of [
      [limited.service.url, PRODUCTS],
      [limited.service.billerUrl, '/api/v1.0/balance-inquiry'],
      [limited.service.billerUrl, '/api/v2.0/disbursement/list'],
      [limited.service.billerUrl, '/openapi.json'],
    ]) {
      const reply = await fetch(`${base}${path}`);
      expect([path, reply.status, await reply.json()]).toMatchObject([path, 404, { success: false }]);
    }
    const caller = limited.merchant();
    const headers = limited.signedIn(caller);
    limited.fakes.prepaid.listPrepaidProducts = async () => ({});
    limited.fakes.ledger.getBalance = async () => ({});
    await limited.send('GET', '/api/v1.0/balance-inquiry', { headers });
    expect((await limited.send('GET', PRODUCTS, { headers })).http).toBe(200);
    const reply = await limited.send('GET', PRODUCTS, { headers });
    expect([reply.http, reply.json]).toMatchObject([429, { status: 429, success: false }]);
  } finally {
    await limited.close();
  }
});

test('a refusal of a request that is not known any more has no command', () => {
  const { body } = legacy.failure(refuse('unavailable'), {});
  expect(body).toEqual({
    command: null,
    response_code: '99',
    response_text: 'Service temporarily unavailable',
    data: {},
  });
});
