import { describe, expect, test } from 'vitest';
import { readCreation, readStatus } from '../src/cardless-withdrawal/snap.ts';
import type { SnapAnswer } from '../src/snap-client.ts';

function answer(responseCode: string, body: object = {}): SnapAnswer {
  const httpStatus = Number(responseCode.slice(0, 3));
  return { httpStatus, responseCode, caseCode: responseCode.slice(5), message: 'said the bank', body };
}

const request = {
  partnerReference: 't-1',
  amountSen: '10000000',
  bankCode: '014',
  phoneNumber: '081234567890',
  merchantReference: 'm-1',
  transactionId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  expiresAtMs: 0,
};
const about = {
  originalPartnerReferenceNo: 't-1',
  originalReferenceNo: 'b-1',
  amount: { value: '100000.00', currency: 'IDR' },
};
const active = { ...about, latestTransactionStatus: '03', withdrawalCode: '123456789012' };

const STATES: [string, object, object][] = [
  ['an active one', active, { outcome: 'active', code: '123456789012' }],
  ['an active one without a code', { ...active, withdrawalCode: undefined }, { outcome: 'unknown' }],
  ['a code that is none', { ...active, withdrawalCode: '12-34' }, { outcome: 'unknown' }],
  ['another reference', { ...active, originalPartnerReferenceNo: 't-2' }, { outcome: 'unknown' }],
  ['another amount', { ...active, amount: { value: '50000.00', currency: 'IDR' } }, { outcome: 'unknown' }],
  ['no amount', { ...active, amount: undefined }, { outcome: 'unknown' }],
  ['one without a code yet', { ...about, latestTransactionStatus: '02' }, { outcome: 'pending' }],
  ['drawn', { ...about, latestTransactionStatus: '00' }, { outcome: 'withdrawn', railReference: 'b-1' }],
  ['canceled', { ...about, latestTransactionStatus: '05', cancelReason: 'CANCELED' }, { outcome: 'canceled' }],
  ['canceled without a reason', { ...about, latestTransactionStatus: '05' }, { outcome: 'canceled' }],
  ['expired', { ...about, latestTransactionStatus: '05', cancelReason: 'EXPIRED' }, { outcome: 'expired' }],
  ['returned, which says nothing here', { ...about, latestTransactionStatus: '04' }, { outcome: 'unknown' }],
  ['not found, which says nothing here', { ...about, latestTransactionStatus: '07' }, { outcome: 'unknown' }],
  [
    'failed',
    { ...about, latestTransactionStatus: '06', transactionStatusDesc: 'no', previousResponseCode: '4049111' },
    { outcome: 'failed', code: '4049111', reason: 'no', phoneUnknown: true },
  ],
];

describe.each(STATES)('%s', (_name, body, expected) => {
  test('is the same by creation, status and cancel', () => {
    expect(readCreation(answer('2009100', body), request, { first: true })).toMatchObject(expected);
    for (const code of ['2009200', '2009300']) expect(readStatus(answer(code, body), request)).toMatchObject(expected);
  });
});

test.each([
  ['4009101', true, 'failed'],
  ['4009101', false, 'unknown'],
  ['4039105', false, 'failed'],
  ['4049111', true, 'failed'],
  ['4099101', true, 'unknown'],
  ['4019100', true, 'unknown'],
  ['4299100', true, 'unknown'],
  ['5009100', true, 'unknown'],
  ['5049100', true, 'unknown'],
  ['2009101', true, 'unknown'],
  ['2029100', true, 'unknown'],
])('creation %s (first: %s) is %s', (code, first, outcome) => {
  expect(readCreation(answer(code), request, { first }).outcome).toBe(outcome);
});

test.each([
  ['4049201', 'not_found'],
  ['4049211', 'unknown'],
  ['4009201', 'unknown'],
  ['4039305', 'unknown'],
  ['5009300', 'unknown'],
])('a question or cancellation answered by %s is %s, never a failure', (code, outcome) => {
  expect(readStatus(answer(code), request).outcome).toBe(outcome);
});

test('no code is in the reason of an answer that is not understood', () => {
  const odd = { ...active, latestTransactionStatus: '99' };
  expect(JSON.stringify(readStatus(answer('2009200', odd), request))).not.toContain(active.withdrawalCode);
});
