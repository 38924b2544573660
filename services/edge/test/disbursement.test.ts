import { createHash } from 'node:crypto';
import { type RefusalCode, RefusalError, refuse, refuseField } from '@gerbang/core';
import { TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Edge, orderOf, startEdge, transferOf } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

const V2 = '/api/v2.0/disbursement';
const V1 = '/api/v1.0/disbursement';

let edge: Edge;
let merchant: FakeMerchant;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.close());
beforeEach(() => {
  merchant = edge.merchant();
  edge.fakes.disbursement = {};
});

const transferV2 = (headers: Record<string, string> = {}) =>
  edge.sendSigned(merchant, 'POST', `${V2}/transfer`, orderOf(merchant), { headers });
const transferV1 = () => edge.sendSigned(merchant, 'POST', `${V1}/transfer`, { ...orderOf(merchant), amount: 150_000 });
const get = (path: string) => edge.send('GET', path, { headers: edge.signedIn(merchant) });
const post = (path: string, body: unknown) => edge.send('POST', path, { headers: edge.signedIn(merchant), body });

describe('transfer', () => {
  test.each([
    { status: TransferStatus.SUCCESS, code: '00', spCode: 'SP000', http: 200 },
    { status: TransferStatus.INITIATED, code: '01', spCode: 'SP000', http: 200 },
    { status: TransferStatus.PAYING, code: '02', spCode: 'SP000', http: 200 },
    { status: TransferStatus.PENDING, code: '03', spCode: 'SP000', http: 200 },
    { status: TransferStatus.FAILED, code: '06', spCode: 'SP001', http: 400 },
    { status: TransferStatus.FAILED, beneficiaryUnknown: true, code: '06', spCode: 'SP010', http: 404 },
  ])('status $code, $spCode', async ({ status, beneficiaryUnknown = false, code, spCode, http }) => {
    edge.fakes.disbursement.transfer = async () => ({
      transfer: transferOf({ status, beneficiaryUnknown, failedReason: 'The bank says no', failedCode: '4031814' }),
    });
    const reply = await transferV2();
    expect([reply.http, reply.json.response_code]).toEqual([http, spCode]);
    expect(reply.json.data).toMatchObject({
      transaction_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      transaction_status: { code },
      gross_amount: { value: '152500.00', currency: 'IDR' },
      ...(http !== 200 && { message: 'The bank says no', failed_code: '4031814', failed_reason: 'The bank says no' }),
    });
    const reply1 = await transferV1();
    expect(reply1.http).toBe(http);
    expect(reply1.json).toMatchObject({ status: http, success: http === 200, data: { transaction_status: { code } } });
    if (http !== 200) expect(reply1.json.error).toEqual({ code: http, message: 'The bank says no' });
  });

  const refusals: [RefusalCode, string, number, number][] = [
    ['insufficient_balance', 'SP003', 400, 400],
    ['duplicate_reference', 'SP004', 409, 409],
    ['idempotency_key_running', 'SP004', 409, 409],
    ['timeout', 'SP005', 504, 504],
    ['beneficiary_limit', 'SP006', 400, 400],
    ['account_limit', 'SP007', 400, 400],
    ['vendor_inactive', 'SP011', 503, 503],
    ['product_not_allowed', 'SP015', 403, 403],
    ['frozen', 'SP015', 403, 403],
    ['idempotency_key_reused', 'SP018', 422, 422],
    ['account_not_found', 'SP020', 404, 404],
    ['account_of_other_merchant', 'SP020', 404, 403],
    ['internal', 'SP002', 500, 500],
    ['posting_key_conflict', 'SP002', 500, 500],
  ];
  test.each(refusals)('%s is %s', async (code, spCode, http, v1Http) => {
    edge.fakes.disbursement.transfer = async () => {
      throw new RefusalError(refuse(code));
    };
    const reply = await transferV2();
    expect([reply.http, reply.json.response_code]).toEqual([http, spCode]);
    expect(reply.json.data).toMatchObject({ message: expect.any(String), account_id: merchant.accountIds[0], bank_code: '014' });
    const reply1 = await transferV1();
    expect(reply1.json).toEqual({ status: v1Http, success: false, error: { code: v1Http, message: expect.any(String) } });
    expect(reply.headers.has('retry-after')).toBe(['idempotency_key_running', 'timeout', 'vendor_inactive'].includes(code));
  });

  test.each(['no ULID', ''])('the account id %j is echoed as it came, and the answer fits the document', async (accountId) => {
    edge.fakes.disbursement.transfer = async () => {
      throw new RefusalError(refuse('account_not_found'));
    };
    const order = { ...orderOf(merchant), account_id: accountId };
    const reply = await edge.sendSigned(merchant, 'POST', `${V2}/transfer`, order);
    expect(reply.json).toMatchObject({ response_code: 'SP020', data: { account_id: accountId } });
  });

  test('a validation error of the product names its field', async () => {
    edge.fakes.disbursement.transfer = async () => {
      throw new RefusalError(refuseField('bank_code', 'there is no such bank'));
    };
    expect((await transferV2()).json).toMatchObject({
      response_code: 'SP018',
      data: { message: 'bank_code: there is no such bank', errors: { bank_code: ['there is no such bank'] } },
    });
    const errors = { bank_code: ['there is no such bank'] };
    expect((await transferV1()).json).toMatchObject({ status: 422, error: { errors }, data: { errors } });
  });

  test('what breaks inside tells the merchant nothing', async () => {
    edge.fakes.disbursement.transfer = async () => {
      throw new Error('mongodb://user:password@db failed');
    };
    const reply = await transferV2();
    expect([reply.http, reply.json.response_code, reply.json.response_message]).toEqual([500, 'SP002', 'General failure']);
    expect(reply.text).not.toContain('mongodb');
    edge.fakes.disbursement.transfer = async () => ({});
    expect((await transferV1()).json).toMatchObject({ status: 500, error: { code: 500, message: 'General failure' } });
  });
});

describe('Idempotency-Key', () => {
  test('goes to the owner with the route and the hash of the body', async () => {
    edge.fakes.disbursement.transfer = async ({ idempotencyKey }) => ({
      transfer: transferOf(),
      replayed: idempotencyKey?.key === 'again',
    });
    const order = { ...orderOf(merchant), amount: { currency: 'IDR', value: '1' } };
    const fresh = await edge.sendSigned(merchant, 'POST', `${V2}/transfer`, order, { headers: { 'idempotency-key': 'first' } });
    expect([fresh.http, fresh.headers.get('idempotency-replayed')]).toEqual([200, null]);
    const sorted = `{${Object.keys(order)
      .sort()
      .map((key) => `"${key}":${JSON.stringify(Reflect.get(order, key))}`)}}`;
    expect(edge.fakes.calls.findLast(({ method }) => method === 'transfer')?.request).toMatchObject({
      idempotencyKey: {
        key: 'first',
        route: 'POST /api/v2.0/disbursement/transfer',
        bodyHash: createHash('sha256').update(sorted).digest('hex'),
      },
    });
    expect((await transferV2({ 'idempotency-key': 'again' })).headers.get('idempotency-replayed')).toBe('true');
    expect((await transferV2()).headers.get('idempotency-replayed')).toBeNull();
  });

  test('a replayed failure and a replayed refusal say so too', async () => {
    edge.fakes.disbursement.transfer = async () => ({ transfer: transferOf({ status: TransferStatus.FAILED }), replayed: true });
    const failed = await transferV2({ 'idempotency-key': 'k' });
    expect([failed.json.response_code, failed.headers.get('idempotency-replayed')]).toEqual(['SP001', 'true']);
    edge.fakes.disbursement.transfer = async () => {
      throw new RefusalError(refuse('insufficient_balance', { replayed: true }));
    };
    const refused = await transferV2({ 'idempotency-key': 'k' });
    expect([refused.json.response_code, refused.headers.get('idempotency-replayed')]).toEqual(['SP003', 'true']);
  });

  test('one that is still running is to be tried again', async () => {
    edge.fakes.disbursement.transfer = async () => {
      throw new RefusalError(refuse('idempotency_key_running', { retryAfterMs: 2_500 }));
    };
    const reply = await transferV2({ 'idempotency-key': 'k' });
    expect([reply.http, reply.json.response_code, reply.headers.get('retry-after')]).toEqual([409, 'SP004', '3']);
  });

  test.each(['x'.repeat(65), 'é', ''])('%j is none', async (key) => {
    const reply = await transferV2({ 'idempotency-key': key });
    expect(reply.json).toMatchObject({ response_code: 'SP018', data: { errors: { 'Idempotency-Key': [expect.any(String)] } } });
  });
});

describe.each([
  { version: 'v2', prefix: V2 },
  { version: 'v1', prefix: V1 },
])('$version reads', ({ version, prefix }) => {
  const success = (data: object) =>
    version === 'v2' ? { response_code: 'SP000', response_message: 'Success', data } : { status: 200, success: true, data };

  test('check-beneficiary', async () => {
    edge.fakes.disbursement.checkBeneficiary = async ({ bankCode, bankAccountNumber }) => ({
      bankCode,
      bankAccountNumber,
      bankName: 'Bank Central Asia',
      bankAccountName: 'TEST 7890',
    });
    const body = { bank_code: '014', bank_account_number: '1234567890' };
    expect((await post(`${prefix}/check-beneficiary`, body)).json).toEqual(
      success({ ...body, status: 'valid', bank_account_name: 'TEST 7890', bank_name: 'Bank Central Asia' }),
    );
    edge.fakes.disbursement.checkBeneficiary = async () => {
      throw new RefusalError(refuse('not_found', { message: 'The beneficiary account could not be verified' }));
    };
    const unknown = await post(`${prefix}/check-beneficiary`, body);
    expect(unknown.http).toBe(404);
    if (version === 'v2') {
      const data = { ...body, message: 'The beneficiary account could not be verified' };
      expect(unknown.json).toEqual({ response_code: 'SP014', response_message: 'Not found', data });
    }
  });

  test('fee', async () => {
    edge.fakes.disbursement.getFee = async ({ bankCode }) => ({ bankCode, feeSen: 250_000n });
    const path = `${prefix}/fee?account_id=${merchant.accountIds[0]}&bank_code=014`;
    expect((await get(path)).json).toEqual(success({ bank_code: '014', fee: { value: '2500.00', currency: 'IDR' } }));
    expect((await get(`${prefix}/fee?bank_code=014`)).http).toBe(422);
    expect((await get(`${prefix}/fee?account_id=a&account_id=b&bank_code=014`)).http).toBe(422);
  });

  test('list: filters and cursor go to the owner, the page comes back', async () => {
    edge.fakes.disbursement.listTransfers = async () => ({ transfers: [transferOf(), transferOf()], nextCursor: 'c2' });
    const account = merchant.accountIds[0];
    const period = 'from=2026-11-01&to=2026-11-21T12:00:00.5%2B07:00';
    const query = `account_id=${account}&limit=2&cursor=c1&status=03&reference_number=r-1&${period}`;
    const page = await get(`${prefix}/list?${query}`);
    expect(page.json.data).toMatchObject({
      items: [{ reference_number: 'r-1' }, { reference_number: 'r-1' }],
      next_cursor: 'c2',
    });
    expect(edge.fakes.calls.findLast(({ method }) => method === 'listTransfers')?.request).toMatchObject({
      merchantId: merchant.merchantId,
      accountId: account,
      limit: 2,
      cursor: 'c1',
      status: TransferStatus.PENDING,
      referenceNumber: 'r-1',
      fromMs: BigInt(Date.parse('2026-11-01T00:00:00Z')),
      toMs: BigInt(Date.parse('2026-11-21T05:00:00.500Z')),
    });
    edge.fakes.disbursement.listTransfers = async () => ({});
    expect((await get(`${prefix}/list?account_id=${account}`)).json.data).toEqual({ items: [], next_cursor: null });
    expect(edge.fakes.calls.findLast(({ method }) => method === 'listTransfers')?.request).toMatchObject({
      limit: 20,
      cursor: '',
      status: TransferStatus.UNSPECIFIED,
      referenceNumber: '',
    });
  });

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '-1'],
    ['limit', '1.5'],
    ['limit', '1e1'],
    ['limit', ''],
    ['limit', '5&limit=6'],
    ['status', '7'],
    ['status', '07'],
    ['status', 'success'],
    ['status', '03&status=00'],
    ['from', 'yesterday'],
    ['from', '2026-02-30'],
    ['from', '2026-11-21T12:00:00'],
    ['from', '2026-13-01T00:00:00Z'],
    ['to', '1795200000000'],
    ['to', '2026-11-21T25:00:00Z'],
    ['reference_number', 'x'.repeat(65)],
    ['cursor', 'x'.repeat(513)],
    ['account_id', 'y&account_id=z'],
  ])('list: ?%s=%s is wrong', async (field, value) => {
    const path = `${prefix}/list?${field === 'account_id' ? '' : 'account_id=x&'}${field}=${value}`;
    const reply = await get(path);
    expect(reply.http).toBe(422);
    expect(reply.json).toMatchObject(
      version === 'v2'
        ? { data: { errors: { [field]: expect.any(Array) } } }
        : { error: { errors: { [field]: expect.any(Array) } } },
    );
  });

  test('inquiry-status, in the v2 envelope in both versions', async () => {
    edge.fakes.disbursement.getTransfer = async ({ by }) => {
      if (by.value === 'r-1') return { transfer: transferOf({ status: TransferStatus.FAILED, beneficiaryUnknown: true }) };
      throw new RefusalError(refuse('transaction_not_found'));
    };
    const inquire = (reference_number: unknown) =>
      post(`${prefix}/inquiry-status`, { account_id: merchant.accountIds[0], reference_number });
    const found = await inquire('r-1');
    expect([found.http, found.json.response_code]).toEqual([200, 'SP000']);
    expect(found.json.data).toMatchObject({ transaction_status: { code: '06' }, balance_after: { value: null, currency: null } });
    const unknown = await inquire('r-2');
    expect([unknown.http, unknown.json.response_code]).toEqual([404, 'SP009']);
    expect(unknown.json.data).toMatchObject({ reference_number: 'r-2' });
    expect((await inquire({ $gt: '' })).json.response_code).toBe('SP018');
  });
});

test('show, by transaction id', async () => {
  edge.fakes.disbursement.getTransfer = async ({ accountId, by }) => {
    if (accountId === 'foreign') throw new RefusalError(refuse('account_of_other_merchant'));
    if (by.case !== 'transactionId' || by.value !== 't-1') throw new RefusalError(refuse('transaction_not_found'));
    return { transfer: transferOf() };
  };
  expect((await get(`${V1}/show/a/t-1`)).json).toMatchObject({ status: 200, success: true, data: { reference_number: 'r-1' } });
  expect((await get(`${V1}/show/a/t-2`)).http).toBe(404);
  expect((await get(`${V1}/show/a/${'t'.repeat(5_000)}`)).http).toBe(404);
  expect((await get(`${V1}/show/foreign/t-1`)).http).toBe(403);
});
