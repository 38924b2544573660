import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { ReportedOutcome } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RailsEdge, startRailsEdge } from './rails-harness.ts';

const NOTIFY = '/v1.0/transfer-interbank/notify';
const idr = (value: string) => ({ value, currency: 'IDR' });
const notice = {
  originalPartnerReferenceNo: '01KATRANSFER',
  originalReferenceNo: 'bank-1',
  latestTransactionStatus: '04',
  transactionStatusDesc: 'Closed account',
  amount: idr('15000.00'),
};

let rails: RailsEdge;

beforeAll(async () => {
  rails = await startRailsEdge();
});

beforeEach(() => {
  rails.asked.length = 0;
  rails.moneyOut.reportTransfer = async () => ({});
});

afterAll(() => rails?.close());

const notify = (over: object = {}, partner = 'payer') => rails.call(NOTIFY, { ...notice, ...over }, { partner });

test.each([
  ['00', ReportedOutcome.SUCCEEDED],
  ['04', ReportedOutcome.RETURNED],
  ['05', ReportedOutcome.CANCELED],
  ['06', ReportedOutcome.FAILED],
])('status %s is reported to money-out as outcome %i, and acknowledged', async (latestTransactionStatus, outcome) => {
  const { http, json } = await notify({ latestTransactionStatus });
  expect([http, json]).toEqual([200, { responseCode: '2001800', responseMessage: 'Successful' }]);
  expect(rails.asked).toMatchObject([
    {
      method: 'reportTransfer',
      request: {
        rail: 'bank-transfer',
        transactionId: '01KATRANSFER',
        railReference: 'bank-1',
        amountSen: 1_500_000n,
        outcome,
        code: latestTransactionStatus,
        reason: 'Closed account',
      },
    },
  ]);
});

test.each(['01', '02', '03', '07'])('status %s is acknowledged and reported to no service', async (latestTransactionStatus) => {
  expect((await notify({ latestTransactionStatus })).json.responseCode).toBe('2001800');
  expect(rails.asked).toEqual([]);
});

test('a report without a description has an empty reason', async () => {
  expect((await notify({ transactionStatusDesc: undefined })).json.responseCode).toBe('2001800');
  expect(rails.asked).toMatchObject([{ request: { reason: '' } }]);
});

test.each<[string, string, string, Error]>([
  ['an unknown transfer', '4041801', 'Transaction Not Found', new RefusalError(refuse('transaction_not_found'))],
  ['another amount', '4041813', 'Invalid Amount', new RefusalError(refuseField('amount', 'is another'))],
  ['another field that money-out refuses', '5001800', 'General Error', new RefusalError(refuseField('outcome', 'is required'))],
  ['a transfer that is not accepted yet', '5041800', 'Timeout', new RefusalError(refuse('unavailable'))],
  ['a money-out that does not answer in time', '5041800', 'Timeout', new RefusalError(refuse('timeout'))],
  ['a money-out that is too busy', '5041800', 'Timeout', new RefusalError(refuse('overloaded'))],
  ['a money-out that fails', '5001800', 'General Error', new Error('a secret of the house')],
])('%s → %s', async (_name, responseCode, responseMessage, failure) => {
  rails.moneyOut.reportTransfer = () => Promise.reject(failure);
  const { http, json } = await notify();
  expect([http, json]).toEqual([Number(responseCode.slice(0, 3)), { responseCode, responseMessage }]);
});

test('where money-out is away, the bank comes again', { timeout: 15_000 }, async () => {
  const away = await startRailsEdge({ servicesAway: true });
  try {
    expect((await away.call(NOTIFY, notice, { partner: 'payer' })).json.responseCode).toBe('5041800');
  } finally {
    await away.close();
  }
});

test.each(['bank', 'acquirer', 'wallet'])('the %s, a partner of another rail, may not report a transfer', async (partner) => {
  expect((await notify({}, partner)).json.responseCode).toBe('4031801');
  expect(rails.asked).toEqual([]);
});

test('the bank of transfers may not report a payment of a virtual account', async () => {
  const bill = { partnerServiceId: '   70014', customerNo: '12345678901', virtualAccountNo: '   7001412345678901' };
  const payment = { ...bill, paymentRequestId: 'p', paidAmount: idr('1.00'), trxDateTime: '2026-11-21T15:04:05+07:00' };
  expect((await rails.call('/v1.0/transfer-va/payment', payment, { partner: 'payer' })).json.responseCode).toBe('4032501');
  expect(rails.asked).toEqual([]);
});

test('a body that was not signed is reported to no service', async () => {
  const reply = await rails.call(NOTIFY, notice, {
    partner: 'payer',
    signed: { body: JSON.stringify({ ...notice, amount: 1 }) },
  });
  expect(reply.json.responseCode).toBe('4011800');
  expect(rails.asked).toEqual([]);
});

test.each<[string, object, string, string]>([
  ['no reference of ours', { originalPartnerReferenceNo: undefined }, '4001802', 'originalPartnerReferenceNo'],
  ['a long reference of ours', { originalPartnerReferenceNo: 'x'.repeat(65) }, '4001801', 'originalPartnerReferenceNo'],
  ['no reference of the bank', { originalReferenceNo: '' }, '4001802', 'originalReferenceNo'],
  ['a long reference of the bank', { originalReferenceNo: 'x'.repeat(65) }, '4001801', 'originalReferenceNo'],
  ['no status', { latestTransactionStatus: undefined }, '4001802', 'latestTransactionStatus'],
  ['a status that SNAP does not have', { latestTransactionStatus: '08' }, '4001801', 'latestTransactionStatus'],
  ['a long description', { transactionStatusDesc: 'x'.repeat(201) }, '4001801', 'transactionStatusDesc'],
  ['no amount', { amount: undefined }, '4001802', 'amount'],
  ['an amount of zero', { amount: idr('0.00') }, '4001801', 'amount.value'],
  ['an amount without decimals', { amount: idr('15000') }, '4001801', 'amount.value'],
  ['another currency', { amount: { value: '1.00', currency: 'USD' } }, '4001801', 'amount.currency'],
])('%s is refused', async (_name, over, responseCode, field) => {
  const { json } = await notify(over);
  expect(json.responseCode).toBe(responseCode);
  expect(json.responseMessage).toContain(`{${field}}`);
  expect(rails.asked).toEqual([]);
});

test('the acquirer reports payments of codes, at a path of its own', async () => {
  const { http, json } = await rails.call('/v1.0/qr/qr-mpm-payment/notify', notice, { partner: 'acquirer' });
  expect([http, json.responseCode]).toEqual([200, '2005000']);
  expect(rails.asked).toMatchObject([{ method: 'reportTransfer', request: { rail: 'qris', transactionId: '01KATRANSFER' } }]);
  expect((await rails.call('/v1.0/qr/qr-mpm-payment/notify', notice, { partner: 'payer' })).json.responseCode).toBe('4035001');
});
