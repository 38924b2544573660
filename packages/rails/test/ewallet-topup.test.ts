import { EWALLET_CHANNELS } from '@gerbang/core';
import { describe, expect, test } from 'vitest';
import { EWALLET_TOPUP_PROFILES } from '../src/ewallet-topup/channels.ts';
import type { EwalletTopupRequest } from '../src/ewallet-topup/index.ts';
import { readTopup, readTopupStatus, readWallet } from '../src/ewallet-topup/outcomes.ts';
import { TOPUP_CASES, TOPUP_STATUS_CASES, WALLET_INQUIRY_CASES } from '../src/ewallet-topup/treatment.ts';
import type { SnapAnswer } from '../src/snap-client.ts';
import { treat, treatLatestStatus, treatSend } from '../src/treatment.ts';
import { numbered, SNAP_CASES } from './snap-cases.ts';

const first = { firstSend: true };
const again = { firstSend: false };
const ofCode = (code: string) => answer(`${code.slice(0, 3)}00${code.slice(3)}`);
const treatTopup = (code: string, sent: { firstSend: boolean }) => treatSend(ofCode(code), TOPUP_CASES, sent);
const treatTopupStatus = (code: string) => treat(ofCode(code), TOPUP_STATUS_CASES);
const treatWalletInquiry = (code: string) => treat(ofCode(code), WALLET_INQUIRY_CASES);

/** By the list: not executed, and final for a first send. All other cases leave the outcome open. */
const FAILED = [
  ...numbered(400, 0, 2),
  ...numbered(403, 0, 11),
  ...['40314', '40315', '40317', '40318', '40319', '40320', '40321', '40322', '40323'],
  ...['40403', '40404', '40405', '40407', '40408', '40409', '40410', '40411', '40412', '40413', '40416', '40417', '40419'],
  ...numbered(405, 0, 1),
];
/** Of the one-time password, which no top-up has. */
const NEVER_ENDS = ['40312', '40313', '40406', '40415'];

describe('the treatment of a top-up', () => {
  test.each(SNAP_CASES)('%s', (code) => {
    const expected = FAILED.includes(code) ? 'failure' : NEVER_ENDS.includes(code) ? 'operator' : 'inquire';
    expect(treatTopup(code, first)).toBe(code === '20000' ? 'success' : expected);
  });

  test.each(SNAP_CASES)('%s after an unanswered send is no failure', (code) => {
    expect(treatTopup(code, again)).not.toBe('failure');
    expect(treatTopup(code, again) === 'success').toBe(code === '20000');
  });

  test('404 18, used references, and what no list has, decide nothing', () => {
    for (const code of ['40418', '40900', '40901', '20001', '20100', '40324', '41000', '50300'])
      expect([code, treatTopup(code, first), treatTopup(code, again)]).toEqual([code, 'inquire', 'inquire']);
  });
});

describe('the treatment of a status', () => {
  test.each(SNAP_CASES)('%s is no failure', (code) => {
    expect(treatTopupStatus(code)).not.toBe('failure');
    expect(treatTopupStatus(code) === 'success').toBe(code === '20000');
  });

  test.each(['40000', '40305', '40411', '40418', '40500'])('%s is for operators', (code) =>
    expect(treatTopupStatus(code)).toBe('operator'),
  );

  test.each(['20200', '40100', '40304', '40306', '40316', '40401', '40402', '40900', '42900', '50000', '50400', '20001'])(
    '%s is asked again',
    (code) => expect(treatTopupStatus(code)).toBe('inquire'),
  );

  test.each([
    ['00', 'success'],
    ['01', 'inquire'],
    ['02', 'inquire'],
    ['03', 'inquire'],
    ['04', 'failure'],
    ['05', 'failure'],
    ['06', 'failure'],
    ['07', 'inquire'],
    ['08', 'operator'],
    ['', 'operator'],
  ])('latest status %s is %s', (status, treatment) => expect(treatLatestStatus(status)).toBe(treatment));
});

describe('the treatment of a wallet inquiry', () => {
  const ABOUT_THE_CUSTOMER = ['40302', '40305', '40307', '40309', '40318', '40323', '40411'];

  test.each(SNAP_CASES)('%s', (code) => {
    const treatment = treatWalletInquiry(code);
    expect(treatment === 'success').toBe(code === '20000');
    expect(treatment === 'failure').toBe(ABOUT_THE_CUSTOMER.includes(code));
  });
});

const request: EwalletTopupRequest = {
  partnerReference: '8801KAB',
  externalId: '1',
  amountSen: '5000000',
  channel: 'DANA',
  phoneNumber: '6281234567890',
  transactionId: '8801KAB',
  merchantReference: 'm',
  notes: '',
  createdAtMs: 0,
};

function answer(responseCode: string, body: object = {}): SnapAnswer {
  const httpStatus = Number(responseCode.slice(0, 3));
  return { httpStatus, responseCode, caseCode: responseCode.slice(5), message: 'said the wallet', body };
}

const amount = { value: '50000.00', currency: 'IDR' };
const paid = { referenceNo: 'w-1', partnerReferenceNo: '8801KAB', amount };

describe('a top-up', () => {
  test.each<[string, object, string]>([
    ['2003800', paid, 'succeeded'],
    ['2003800', { referenceNo: 'w-1' }, 'succeeded'],
    ['2003800', {}, 'unknown'],
    ['2003800', { ...paid, referenceNo: '' }, 'unknown'],
    ['2003800', { ...paid, partnerReferenceNo: 'another' }, 'unknown'],
    ['2003800', { ...paid, amount: { ...amount, value: '50000.01' } }, 'unknown'],
    ['2003800', { ...paid, amount: { ...amount, currency: 'USD' } }, 'unknown'],
    ['2003801', paid, 'unknown'],
    ['2023800', {}, 'pending'],
    ['4033814', {}, 'failed'],
    ['4043818', paid, 'unknown'],
    ['4093801', {}, 'unknown'],
    ['5003800', {}, 'unknown'],
    ['5003801', {}, 'unknown'],
  ])('%s %j → %s', (code, body, outcome) => expect(readTopup(answer(code, body), request, first).outcome).toBe(outcome));

  const because = (resultMsg: string) => ({ additionalInfo: { resultMsg } });
  test.each<[string, object, string]>([
    ['4033802', {}, 'recipient_limit'],
    ['4043811', {}, 'recipient_unknown'],
    ['4033805', because('PAYEE_USER_NOT_EXIST'), 'recipient_unknown'],
    ['4033805', because('PAYEE_USER_STATUS_DISABLE'), 'other'],
    ['4033805', {}, 'other'],
    ['4033814', {}, 'other'],
  ])('%s %j has failed because of %s', (code, body, cause) =>
    expect(readTopup(answer(code, body), request, first)).toEqual({
      outcome: 'failed',
      code,
      reason: 'said the wallet',
      cause,
    }),
  );

  test('what waits for a one-time password is for operators', () => {
    expect(readTopup(answer('4033813'), request, first)).toMatchObject({ outcome: 'unknown', needsOperator: true });
  });
});

describe('the status of a top-up', () => {
  const found = { latestTransactionStatus: '00', originalReferenceNo: 'w-1', originalPartnerReferenceNo: '8801KAB', amount };
  const is = (latestTransactionStatus: string) => ({ ...found, latestTransactionStatus });

  test.each<[string, object, object]>([
    ['2003900', found, { outcome: 'succeeded', railReference: 'w-1' }],
    ['2003900', { latestTransactionStatus: '00', originalReferenceNo: 'w-1' }, { outcome: 'succeeded' }],
    ['2003900', { latestTransactionStatus: '00' }, { outcome: 'unknown' }],
    ['2003900', {}, { outcome: 'unknown' }],
    ['2003900', is('01'), { outcome: 'pending' }],
    ['2003900', is('03'), { outcome: 'pending' }],
    ['2003900', is('04'), { outcome: 'returned', railReference: 'w-1' }],
    ['2003900', is('05'), { outcome: 'failed', code: '2003900/05', cause: 'other' }],
    ['2003900', { ...is('06'), transactionStatusDesc: 'Frozen' }, { outcome: 'failed', reason: 'Frozen' }],
    ['2003900', is('07'), { outcome: 'not_found' }],
    ['2003900', is('99'), { outcome: 'unknown', needsOperator: true }],
    ['4043901', {}, { outcome: 'not_found' }],
    ['4003901', {}, { outcome: 'unknown', needsOperator: true }],
    ['4043918', found, { outcome: 'unknown', needsOperator: true }],
    ['5003900', {}, { outcome: 'unknown' }],
  ])('%s %j → %j', (code, body, outcome) => {
    expect(readTopupStatus(answer(code, body), request)).toMatchObject(outcome);
  });

  test.each([
    { ...is('00'), originalPartnerReferenceNo: 'another' },
    { ...is('06'), amount: { ...amount, value: '1.00' } },
  ])('of another top-up is no outcome: %j', (body) => {
    expect(readTopupStatus(answer('2003900', body), request)).toMatchObject({ outcome: 'unknown', needsOperator: true });
  });
});

test.each<[string, object, object]>([
  ['2003700', { customerName: 'DNID TEST 7890' }, { outcome: 'found', name: 'TEST 7890' }],
  ['2003700', { customerName: 'TEST 7890' }, { outcome: 'found', name: 'TEST 7890' }],
  ['2003700', { customerName: ' ' }, { outcome: 'unknown' }],
  ['4033705', {}, { outcome: 'not_found' }],
  ['4043711', {}, { outcome: 'not_found' }],
  ['4033702', {}, { outcome: 'over_limit' }],
  ['4033714', {}, { outcome: 'unknown', needsOperator: true }],
  ['5003700', {}, { outcome: 'unknown' }],
])('a wallet inquiry: %s %j → %j', (code, body, outcome) =>
  expect(readWallet(answer(code, body), 'DANA')).toMatchObject(outcome),
);

test('every wallet has its profile', () => {
  expect(Object.keys(EWALLET_TOPUP_PROFILES).toSorted()).toEqual(EWALLET_CHANNELS.toSorted());
});
