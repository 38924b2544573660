import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type RefusalCode, RefusalError, refuse, refuseField } from '@gerbang/core';
import { TransferSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Edge, newReference, startEdge, transferOf } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

const BASE = '/api/v2.0/ewallet';
const ID = '8801ARZ3NDEKTSV4RRFFQ69G5FAV';

let edge: Edge;
let merchant: FakeMerchant;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.close());
beforeEach(() => {
  merchant = edge.merchant();
  edge.fakes.ewalletTopup = {};
});

const post = (path: string, body: unknown) => edge.send('POST', `${BASE}/${path}`, { headers: edge.signedIn(merchant), body });
const orderOf = (over: object = {}) => ({
  account_id: merchant.accountIds[0],
  reference_number: newReference(),
  channel: 'GOPAY',
  phone_number: '081234567890',
  amount: { value: '50000.00', currency: 'IDR' },
  ...over,
});
const topUp = (over: object = {}, headers: Record<string, string> = {}) =>
  edge.sendSigned(merchant, 'POST', `${BASE}/trigger-topup`, orderOf(over), { headers });

type Topup = Pick<MessageInitShape<typeof TransferSchema>, 'status' | 'beneficiaryUnknown' | 'failedReason' | 'description'>;

function topupOf({ name = '', ...over }: Topup & { name?: string } = {}) {
  const { referenceNumber, accountId, createdAtMs, status } = transferOf();
  const ewalletTopup = { channel: 'GOPAY', phoneNumber: '081234567890', name };
  const common = { referenceNumber, accountId, createdAtMs, status, transactionId: ID, amountSen: 5_000_000n };
  return create(TransferSchema, { ...common, ...over, ewalletTopup });
}

describe('trigger-topup', () => {
  test.each([
    { status: TransferStatus.SUCCESS, name: 'Budi', code: '00', spCode: 'SP000', http: 200 },
    { status: TransferStatus.PENDING, code: '03', spCode: 'SP000', http: 200 },
    { status: TransferStatus.FAILED, code: '06', spCode: 'SP001', http: 400 },
    { status: TransferStatus.FAILED, beneficiaryUnknown: true, code: '06', spCode: 'SP010', http: 404 },
    { status: TransferStatus.FAILED, beneficiaryOverLimit: true, code: '06', spCode: 'SP006', http: 400 },
    { status: TransferStatus.CANCELED, code: '05', spCode: 'SP001', http: 400 },
    { status: TransferStatus.REFUNDED, code: '04', spCode: 'SP001', http: 400 },
  ])('status $code, $spCode', async ({ code, spCode, http, ...transfer }) => {
    edge.fakes.ewalletTopup.triggerTopup = async () => ({ transfer: topupOf({ failedReason: 'no', ...transfer }) });
    const reply = await topUp();
    expect([reply.http, reply.json.response_code]).toEqual([http, spCode]);
    expect(reply.json.data).toMatchObject({
      transaction_id: ID,
      transaction_status: { code },
      gross_amount: { value: '50000.00', currency: 'IDR' },
      channel: 'GOPAY',
      phone_number: '081234567890',
      name: transfer.name ?? null,
      note: null,
    });
  });

  test('hands the order to money-out as it is written', async () => {
    edge.fakes.ewalletTopup.triggerTopup = async () => ({ transfer: topupOf({ description: 'hadiah' }), replayed: true });
    const reply = await topUp({ phone_number: '+62 812-3456-7890', note: 'hadiah' }, { 'idempotency-key': 'k' });
    expect([reply.headers.get('idempotency-replayed'), reply.json.data]).toMatchObject(['true', { note: 'hadiah' }]);
    expect(edge.fakes.calls.findLast(({ method }) => method === 'triggerTopup')?.request).toMatchObject({
      merchantId: merchant.merchantId,
      accountId: merchant.accountIds[0],
      channel: 'GOPAY',
      phoneNumber: '+62 812-3456-7890',
      amountSen: 5_000_000n,
      note: 'hadiah',
      idempotencyKey: { key: 'k', route: 'POST /api/v2.0/ewallet/trigger-topup' },
    });
  });

  test('needs the request signature', async () => {
    const reply = await post('trigger-topup', orderOf());
    expect([reply.http, reply.json.response_code]).toEqual([401, 'SP016']);
  });

  const refusals: [RefusalCode, string, number][] = [
    ['insufficient_balance', 'SP003', 400],
    ['duplicate_reference', 'SP004', 409],
    ['account_limit', 'SP007', 400],
    ['product_not_allowed', 'SP015', 403],
    ['frozen', 'SP015', 403],
    ['account_not_found', 'SP020', 404],
  ];
  test.each(refusals)('%s is %s, and says whose wallet it was about', async (code, spCode, http) => {
    edge.fakes.ewalletTopup.triggerTopup = async () => {
      throw new RefusalError(refuse(code));
    };
    const reply = await topUp();
    expect([reply.http, reply.json.response_code]).toEqual([http, spCode]);
    const { account_id, channel, phone_number } = orderOf();
    expect(reply.json.data).toMatchObject({ message: expect.any(String), account_id, channel, phone_number });
  });

  test.each<[string, unknown]>([
    ['channel', 'BCA'],
    ['channel', undefined],
    ['phone_number', 'abc'],
    ['phone_number', '0812'],
    ['phone_number', 81234567890],
    ['amount', { value: '0', currency: 'IDR' }],
    ['amount', 50_000],
    ['note', 'x'.repeat(101)],
    ['note', 'kartu 4811 1111 1111 1114'],
    ['reference_number', ''],
  ])('%s cannot be %j', async (field, value) => {
    const reply = await topUp({ [field]: value });
    expect([reply.http, reply.json.response_code]).toEqual([422, 'SP018']);
    expect(reply.json.data).toMatchObject({ errors: { [field]: [expect.any(String)] } });
  });
});

describe('check-beneficiary', () => {
  const wallet = { channel: 'DANA', phone_number: '0812-3456-7890' };

  test('gives the name', async () => {
    edge.fakes.ewalletTopup.checkWallet = async ({ channel, phoneNumber }) => ({ channel, phoneNumber, name: 'TEST 7890' });
    const reply = await post('check-beneficiary', wallet);
    expect([reply.http, reply.json]).toMatchObject([
      200,
      { response_code: 'SP000', data: { ...wallet, status: 'valid', name: 'TEST 7890' } },
    ]);
  });

  test.each<[RefusalCode, string, number]>([
    ['not_found', 'SP014', 404],
    ['beneficiary_limit', 'SP006', 400],
    ['vendor_inactive', 'SP011', 503],
  ])('%s is %s', async (code, spCode, http) => {
    edge.fakes.ewalletTopup.checkWallet = async () => {
      throw new RefusalError(refuse(code));
    };
    const reply = await post('check-beneficiary', wallet);
    expect([reply.http, reply.json]).toMatchObject([http, { response_code: spCode, data: wallet }]);
  });

  test('a number that money-out does not take is an error of its field', async () => {
    edge.fakes.ewalletTopup.checkWallet = async () => {
      throw new RefusalError(refuseField('phone_number', 'is not an Indonesian mobile number'));
    };
    const reply = await post('check-beneficiary', { ...wallet, phone_number: '0211234567' });
    expect(reply.json).toMatchObject({ response_code: 'SP018', data: { errors: { phone_number: [expect.any(String)] } } });
  });
});

describe('inquiry-status', () => {
  const asked = () => ({ account_id: merchant.accountIds[0], reference_number: 'r-1' });

  test('finds a failed one with success', async () => {
    edge.fakes.ewalletTopup.getTopup = async () => ({ transfer: topupOf({ status: TransferStatus.FAILED }) });
    const reply = await post('inquiry-status', asked());
    expect([reply.http, reply.json]).toMatchObject([
      200,
      { response_code: 'SP000', data: { transaction_status: { code: '06' } } },
    ]);
  });

  test('an unknown one is SP009', async () => {
    edge.fakes.ewalletTopup.getTopup = async () => {
      throw new RefusalError(refuse('transaction_not_found'));
    };
    const reply = await post('inquiry-status', asked());
    expect([reply.http, reply.json]).toMatchObject([404, { response_code: 'SP009', data: { reference_number: 'r-1' } }]);
  });
});
