import { create } from '@bufbuild/protobuf';
import { type RefusalCode, RefusalError, refuse, refuseField } from '@gerbang/core';
import { PayableStatus, type QrisTransaction, QrisTransactionSchema } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { type Transfer, TransferSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Edge, startEdge } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

const ID = '6601ARZ3NDEKTSV4RRFFQ69G5FAV';

let edge: Edge;
let merchant: FakeMerchant;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.close());
beforeEach(() => {
  merchant = edge.merchant();
  edge.fakes.qrisPayments = {};
  edge.fakes.qris = {};
});

function payment(over: Partial<Transfer> = {}): Transfer {
  const paid = create(TransferSchema, {
    transactionId: ID,
    referenceNumber: 'r-1',
    accountId: merchant.accountIds[0] ?? '',
    status: TransferStatus.SUCCESS,
    amountSen: 4_200_000n,
    feeSen: 100_000n,
    balanceAfterSen: 5_000_000n,
    createdAtMs: 1_795_249_800_123n,
    processedAtMs: 1_795_249_801_123n,
    qrisPayment: {
      qrData: '0002',
      type: 'mpm-dynamic',
      merchantName: 'Warung',
      merchantCity: 'Demak',
      amountSen: 4_000_000n,
      tipSen: 200_000n,
      tipIndicator: 'percentage',
      tipValue: 500n,
      rrn: '123456789012',
    },
  });
  return Object.assign(paid, over);
}

const post = (what: string, body: unknown) =>
  edge.send('POST', `/api/v2.0/qris/${what}/${merchant.accountIds[0]}`, { headers: edge.signedIn(merchant), body });
const credit = (body: unknown) => edge.sendSigned(merchant, 'POST', `/api/v2.0/qris/credit/${merchant.accountIds[0]}`, body);
const lastCall = (method: string) => edge.fakes.calls.findLast((call) => call.method === method)?.request;
const idr = (value: string) => ({ value, currency: 'IDR' });

const WHOLE = {
  transaction_id: ID,
  reference_number: 'r-1',
  qr_data: '0002',
  type: 'mpm-dynamic',
  scope: 'issuer',
  post_timestamp: '2026-11-21T08:30:00.123Z',
  processed_timestamp: '2026-11-21T08:30:01.123Z',
  gross_amount: idr('43000.00'),
  fee: idr('1000.00'),
  net_amount: idr('42000.00'),
  balance_after: idr('50000.00'),
  possible_duplicate_of: null,
  merchant_name: 'Warung',
  merchant_city: 'Demak',
  amount: idr('40000.00'),
  tip_indicator: 'percentage',
  tip_value: 5,
  tip_amount: idr('2000.00'),
  rrn: '123456789012',
};

describe('inquiry', () => {
  test('passes on what was asked and presents the code', async () => {
    edge.fakes.qrisPayments.inquireQrisPayment = async () => ({
      transfer: payment({ status: TransferStatus.INITIATED, amountSen: 0n }),
    });
    const reply = await post('inquiry', { reference_number: 'r-1', qr_data: '0002', amount: idr('40000') });
    expect(lastCall('inquireQrisPayment')).toMatchObject({
      merchantId: merchant.merchantId,
      accountId: merchant.accountIds[0],
      referenceNumber: 'r-1',
      qrData: '0002',
      amountSen: 4_000_000n,
    });
    const unknown = { value: null, currency: null };
    expect([reply.http, reply.json.response_code]).toEqual([200, 'SP000']);
    expect(reply.json.data).toMatchObject({
      transaction_status: { code: '01', desc: 'Initiated' },
      gross_amount: unknown,
      fee: unknown,
      net_amount: unknown,
      amount: unknown,
    });
  });

  test.each([
    ['reference_number', { qr_data: '0002' }],
    ['qr_data', { reference_number: 'r-1' }],
    ['qr_data', { reference_number: 'r-1', qr_data: '' }],
    ['qr_data', { reference_number: 'r-1', qr_data: 'x'.repeat(1_025) }],
    ['amount', { reference_number: 'r-1', qr_data: '0002', amount: 40_000 }],
  ])('a wrong %s is named', async (field, body) => {
    const reply = await post('inquiry', body);
    expect([reply.http, reply.json.response_code]).toEqual([422, 'SP018']);
    expect(reply.json.data).toMatchObject({ errors: { [field]: [expect.any(String)] } });
  });
});

describe('credit', () => {
  test.each([
    { over: {}, code: '00', spCode: 'SP000', http: 200 },
    { over: { status: TransferStatus.PENDING }, code: '03', spCode: 'SP000', http: 200 },
    { over: { status: TransferStatus.CANCELED }, code: '05', spCode: 'SP001', http: 400 },
    { over: { status: TransferStatus.FAILED }, code: '06', spCode: 'SP001', http: 400 },
    { over: { status: TransferStatus.FAILED, beneficiaryUnknown: true }, code: '06', spCode: 'SP010', http: 404 },
  ])('status $code, $spCode', async ({ over, code, spCode, http }) => {
    edge.fakes.qrisPayments.creditQrisPayment = async () => ({ transfer: payment({ ...over, failedReason: 'No' }) });
    const reply = await credit({ reference_number: 'r-1', tip: idr('2000') });
    expect([reply.http, reply.json.response_code]).toEqual([http, spCode]);
    expect(reply.json.data).toMatchObject({ transaction_id: ID, transaction_status: { code } });
    expect(lastCall('creditQrisPayment')).toMatchObject({ qrData: '', tipSen: 200_000n });
  });

  test('a limit of the code’s merchant is SP006', async () => {
    const failed = payment({ status: TransferStatus.FAILED, beneficiaryOverLimit: true });
    edge.fakes.qrisPayments.creditQrisPayment = async () => ({ transfer: failed });
    expect((await credit({ reference_number: 'r-1' })).json.response_code).toBe('SP006');
  });

  test('is signed', async () => {
    expect((await post('credit', { reference_number: 'r-1' })).json.response_code).toBe('SP016');
  });
});

describe('status', () => {
  test('of the scope issuer has all fields of the specification, and no reason of a failure', async () => {
    edge.fakes.qrisPayments.getQrisPayment = async () => ({ transfer: payment() });
    const found = await post('status', { reference_number: 'r-1', scope: 'issuer', type: 'cpm' });
    expect(found.json.data).toEqual({
      ...WHOLE,
      account_id: merchant.accountIds[0],
      transaction_status: { code: '00', desc: 'Success' },
    });
    edge.fakes.qrisPayments.getQrisPayment = async () => ({ transfer: payment({ status: TransferStatus.FAILED }) });
    const failed = await post('status', { reference_number: 'r-1', scope: 'issuer' });
    expect([failed.http, failed.json.response_code]).toEqual([200, 'SP000']);
    expect(failed.json.data).toMatchObject({
      transaction_status: { code: '06' },
      balance_after: { value: null, currency: null },
    });
    expect(failed.json.data).not.toHaveProperty('failed_code');
  });

  test('what is not there is SP009 with status 07', async () => {
    edge.fakes.qrisPayments.getQrisPayment = async () => {
      throw new RefusalError(refuse('transaction_not_found'));
    };
    const reply = await post('status', { reference_number: 'nothing', scope: 'issuer', type: 'mpm-static' });
    expect([reply.http, reply.json.response_code]).toEqual([404, 'SP009']);
    expect(reply.json.data).toEqual({
      message: 'Transaction not found',
      reference_number: 'nothing',
      scope: 'issuer',
      type: 'mpm-static',
      transaction_status: { code: '07', desc: 'Not Found' },
    });
  });

  test.each<[RefusalCode, number, string]>([
    ['internal', 500, 'SP002'],
    ['unavailable', 500, 'SP002'],
    ['timeout', 504, 'SP005'],
  ])('%s echoes reference_number, type and scope', async (code, http, spCode) => {
    edge.fakes.qrisPayments.getQrisPayment = async () => {
      throw new RefusalError(refuse(code));
    };
    const reply = await post('status', { reference_number: 'r-1', scope: 'issuer', type: 'mpm-dynamic' });
    expect([reply.http, reply.json.response_code]).toEqual([http, spCode]);
    expect(reply.json.data).toMatchObject({ reference_number: 'r-1', type: 'mpm-dynamic', scope: 'issuer' });
  });

  test.each<[object, object]>([
    [{ scope: 'issuer' }, { reference_number: null, type: null, scope: 'issuer' }],
    [
      { reference_number: 7, scope: 'issuer', type: 'cpm' },
      { reference_number: null, type: 'cpm', scope: 'issuer' },
    ],
    [{ reference_number: 'r-1' }, { reference_number: 'r-1', scope: null }],
    [
      { reference_number: 'x'.repeat(65), scope: 'acquirer' },
      { reference_number: null, scope: 'acquirer' },
    ],
  ])('%j is SP018', async (body, echo) => {
    const reply = await post('status', body);
    expect([reply.http, reply.json.response_code]).toEqual([422, 'SP018']);
    expect(reply.json.data).toMatchObject(echo);
  });

  const moneyIn = (): QrisTransaction =>
    create(QrisTransactionSchema, {
      id: 7n,
      accountId: merchant.accountIds[0] ?? '',
      reffNo: ID,
      merchantReffNo: 'order 1',
      status: PayableStatus.COMPLETED,
      qrData: 'no code',
      amountSen: 4_000_000n,
      createdAtMs: 1_795_249_800_123n,
      figures: { amountSen: 4_000_000n, feeSen: 28_000n, netSen: 3_972_000n, paidAtMs: 1_795_249_801_123n },
      payer: { rrn: '99' },
    });

  test('of the scope acquirer is money in, by our reference or by the merchant’s', async () => {
    edge.fakes.qris.getQris = async ({ reffNo }) => {
      if (reffNo !== ID) throw new RefusalError(refuse('transaction_not_found'));
      return { qrisTransaction: moneyIn() };
    };
    edge.fakes.qris.listQris = async ({ query }) => ({
      qrisTransactions: query?.merchantReffNo === 'order 1' ? [moneyIn()] : [],
    });
    for (const reference of [ID, 'order 1']) {
      const reply = await post('status', { reference_number: reference, scope: 'acquirer' });
      expect(reply.json.data).toMatchObject({
        transaction_id: ID,
        reference_number: reference,
        scope: 'acquirer',
        transaction_status: { code: '00' },
        gross_amount: idr('40000.00'),
        fee: idr('280.00'),
        net_amount: idr('39720.00'),
        rrn: '99',
      });
    }
    const none = await post('status', { reference_number: 'order 2', scope: 'acquirer' });
    expect([none.http, none.json.response_code]).toEqual([404, 'SP009']);
  });

  test('a refusal of a field is the merchant’s to read', async () => {
    edge.fakes.qrisPayments.creditQrisPayment = async () => {
      throw new RefusalError(refuseField('qr_data', 'the code has expired'));
    };
    expect((await credit({ reference_number: 'r-1', qr_data: '0002' })).json).toMatchObject({
      response_code: 'SP018',
      data: { errors: { qr_data: ['the code has expired'] } },
    });
  });
});
