import { describe, expect, test } from 'vitest';
import { INQUIRY_CASES, PURCHASE_CASES } from '../src/prepaid/cases.ts';
import { readInquiry, readPurchase } from '../src/prepaid/snap.ts';
import type { SnapAnswer } from '../src/snap-client.ts';

const TOKEN = '12345678901234567890';

function answer(httpStatus: number, service: string, caseCode: string, body: object = {}): SnapAnswer {
  return { httpStatus, responseCode: `${httpStatus}${service}${caseCode}`, caseCode, message: 'said the rail', body };
}

const request = {
  partnerReference: 'r-1',
  railCode: 'PLN-50',
  customerNumber: '12345678901',
  transactionId: 't-1',
  amountSen: '5000000',
  givesToken: true,
};
const about = {
  originalPartnerReferenceNo: 'r-1',
  originalReferenceNo: 'b-1',
  amount: { value: '50000.00', currency: 'IDR' },
};
const done = { ...about, latestTransactionStatus: '00', serialNumber: 'SN1', token: TOKEN };

const succeeded = { outcome: 'succeeded', railReference: 'b-1', serialNumber: 'SN1', token: TOKEN };
const forOperators = { outcome: 'unknown', needsOperator: true };

const PURCHASES: [string, object, object][] = [
  ['done', done, succeeded],
  ['done, its token in groups', { ...done, token: '1234-5678 9012-3456-7890' }, succeeded],
  ['done without a token', { ...done, token: undefined }, forOperators],
  ['done with a short token', { ...done, token: '1234' }, forOperators],
  ['done for another reference', { ...done, originalPartnerReferenceNo: 'r-2' }, forOperators],
  ['done for another amount', { ...done, amount: { value: '20000.00', currency: 'IDR' } }, forOperators],
  ['done without an amount', { ...done, amount: undefined }, forOperators],
  ['paying', { ...about, latestTransactionStatus: '02' }, { outcome: 'pending' }],
  ['refunded, which a purchase never is', { ...about, latestTransactionStatus: '04' }, forOperators],
  [
    'failed',
    { ...about, latestTransactionStatus: '06', transactionStatusDesc: 'no', previousResponseCode: '4039618' },
    { outcome: 'failed', code: '4039618', reason: 'no', isDepositShort: false },
  ],
  [
    'failed for want of a deposit',
    { ...about, latestTransactionStatus: '06', transactionStatusDesc: 'no', previousResponseCode: '4039614' },
    { outcome: 'failed', code: '4039614', isDepositShort: true },
  ],
];

describe.each(PURCHASES)('a purchase that is %s', (_name, body, expected) => {
  test.each([true, false])('is so by the answer to a first send (%s) and to a repetition', (firstSend) => {
    expect(readPurchase(answer(200, '96', '00', body), request, { firstSend })).toMatchObject(expected);
  });
});

test('a product without a token needs none, and shows none', () => {
  const credit = { ...request, givesToken: false };
  const bought = { ...succeeded, token: undefined };
  expect(readPurchase(answer(200, '96', '00', done), credit, { firstSend: true })).toEqual(bought);
  expect(readPurchase(answer(200, '96', '00', { ...done, token: undefined }), credit, { firstSend: true })).toEqual(bought);
});

const refusals = Object.entries(PURCHASE_CASES).filter(([, treatment]) => treatment !== 'read' && treatment !== 'pending');

test.each(refusals)('purchase %s is %s at the first send, and never final at a repetition', (code, treatment) => {
  const [http = '', caseCode = ''] = code.split('/');
  const refused = answer(Number(http), '96', caseCode);
  expect(readPurchase(refused, request, { firstSend: true }).outcome).toBe(treatment === 'failed' ? 'failed' : 'unknown');
  expect(readPurchase(refused, request, { firstSend: false }).outcome).toBe('unknown');
});

test.each(['2019600', '2029601', '4009699', '4039699', '4229600', '5009699', '5039601'])(
  '%s, which no table has, is unknown',
  (code) => {
    const odd = answer(Number(code.slice(0, 3)), '96', code.slice(5), done);
    expect(readPurchase(odd, request, { firstSend: true }).outcome).toBe('unknown');
  },
);

const OUTCOMES = {
  found: 'found',
  unknown_customer: 'customer_unknown',
  blocked: 'customer_blocked',
  unavailable: 'unavailable',
  operator: 'unknown',
};

test.each(Object.entries(INQUIRY_CASES))('inquiry %s is %s', (code, treatment) => {
  const [http = '', caseCode = ''] = code.split('/');
  const body = { customerNo: '12345678901', customerName: 'BUDI' };
  expect(readInquiry(answer(Number(http), '95', caseCode, body), request).outcome).toBe(OUTCOMES[treatment]);
});

test.each([
  ['another customer', { customerNo: '10987654321', customerName: 'BUDI' }],
  ['no name', { customerNo: '12345678901', customerName: ' ' }],
  ['nothing', {}],
])('an inquiry that is answered with %s is unknown', (_name, body) => {
  expect(readInquiry(answer(200, '95', '00', body), request).outcome).toBe('unknown');
});

test('no token is in the reason of an answer that is not understood', () => {
  const odd = { ...done, latestTransactionStatus: '99' };
  expect(JSON.stringify(readPurchase(answer(200, '96', '00', odd), request, { firstSend: true }))).not.toContain(TOKEN);
});
