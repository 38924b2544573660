import { describe, expect, test } from 'vitest';
import { readAccount, readAuthorized, readBound, readTokens, readUnbound } from '../src/direct-debit/binding-outcomes.ts';
import type { ChargeRequest, RefundRequest } from '../src/direct-debit/index.ts';
import {
  readCharge,
  readChargeState,
  readRefund,
  readRefundState,
  readSentOtp,
  readVerifiedOtp,
} from '../src/direct-debit/outcomes.ts';
import type { SnapAnswer } from '../src/snap-client.ts';

const charge: ChargeRequest = {
  partnerReference: 'c-1',
  externalId: '1',
  amountSen: '10000000',
  merchantReference: 'm',
  deviceId: 'd',
  createdAtMs: 0,
};
const refund: RefundRequest = {
  originalReference: 'c-1',
  originalExternalId: '1',
  refundReference: 'r-1',
  externalId: '2',
  amountSen: '3000000',
  createdAtMs: 0,
};
const bind = {
  partnerReference: 'b-1',
  bankCode: 'BRI',
  customerId: 'c',
  phone: '08',
  state: 's',
  language: 'id',
  redirectUrl: '',
};
const idr = (value: string) => ({ value, currency: 'IDR' });

function answer(responseCode: string, body: object = {}): SnapAnswer {
  const httpStatus = Number(responseCode.slice(0, 3));
  return { httpStatus, responseCode, caseCode: responseCode.slice(5), message: 'said the bank', body };
}

/** Every case of snap-services.md, section 10, by HTTP status. */
const CASES: Readonly<Record<string, string>> = {
  202: '00',
  400: '00 01 02',
  401: '00 01 02 03 04',
  403: '00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23',
  404: '00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19',
  405: '00 01',
  409: '00 01',
  429: '00',
  500: '00 01 02',
  504: '00',
};
const ALL = Object.entries(CASES).flatMap(([http, codes]) => codes.split(' ').map((code) => ({ http, code })));
const listed = (texts: readonly string[]) =>
  new Set(texts.flatMap((text) => (text.split(' ')[1] ?? '').split(',').map((code) => `${text.slice(0, 3)}/${code}`)));

/** What every answer is read as, by the case: all that are not named are asked about. */
function expectAll(service: string, read: (said: SnapAnswer) => { outcome: string }, named: Record<string, readonly string[]>) {
  const sets = Object.entries(named).map(([outcome, texts]) => [outcome, listed(texts)] as const);
  const wrong = ALL.flatMap(({ http, code }) => {
    const wanted = sets.find(([, set]) => set.has(`${http}/${code}`))?.[0] ?? 'unknown';
    const { outcome } = read(answer(`${http}${service}${code}`));
    return outcome === wanted ? [] : [`${http}/${code} is ${outcome}, not ${wanted}`];
  });
  expect(wrong).toEqual([]);
}

const FINAL = [
  '400 00,01,02',
  '403 00,01,02,03,04,05,06,07,08,09,10,14,15,17,18,19,20,21,22,23',
  '404 03,04,05,07,08,09,10,11,12,13,14,16,17,19',
  '405 00,01',
];

describe('a charge (54)', () => {
  test('every case of a first send', () => {
    expectAll('54', (said) => readCharge(said, { first: true }), {
      pending: ['202 00'],
      failed: [...FINAL, '403 11'],
      otp: ['403 12,13', '404 06,15'],
      unauthorized: ['401 02,04'],
    });
    expect(readCharge(answer('2005400'), { first: true })).toEqual({ outcome: 'accepted' });
  });

  test('no refusal of a later send is final', () => {
    expectAll('54', (said) => readCharge(said, { first: false }), { pending: ['202 00'] });
  });
});

describe('how a charge stands (55)', () => {
  const state = { originalPartnerReferenceNo: 'c-1', originalReferenceNo: 'bank-1', transAmount: idr('100000.00') };
  test.each<[string, object, object]>([
    ['00', {}, { outcome: 'succeeded', railReference: 'bank-1' }],
    ['00', { paidTime: '2026-11-22T10:00:00+07:00' }, { paidAtMs: Date.parse('2026-11-22T03:00:00Z') }],
    ['00', { originalReferenceNo: '' }, { outcome: 'unknown' }],
    ['00', { transAmount: idr('100000.01') }, { outcome: 'unknown' }],
    ['00', { originalPartnerReferenceNo: 'another' }, { outcome: 'unknown' }],
    ['01', {}, { outcome: 'pending' }],
    ['02', {}, { outcome: 'pending' }],
    ['03', {}, { outcome: 'pending' }],
    ['04', {}, { outcome: 'failed' }],
    ['05', {}, { outcome: 'failed' }],
    [
      '06',
      { originalResponseCode: '4035414', transactionStatusDesc: 'Funds' },
      { outcome: 'failed', code: '4035414', reason: 'Funds' },
    ],
    ['06', { additionalInfo: { isTimeout: 'Y' } }, { outcome: 'pending' }],
    ['06', { additionalInfo: { chargeToken: 't' } }, { outcome: 'pending' }],
    ['07', {}, { outcome: 'not_found' }],
    ['08', {}, { outcome: 'unknown' }],
  ])('status %s %j', (latestTransactionStatus, more, outcome) => {
    expect(readChargeState(answer('2005500', { ...state, ...more, latestTransactionStatus }), charge)).toMatchObject(outcome);
  });

  test('a refused question says nothing of the charge', () => {
    expectAll('55', (said) => readChargeState(said, charge), { not_found: ['404 01'] });
  });
});

describe('a refund (58)', () => {
  const done = { refundNo: 'rf-1', partnerRefundNo: 'r-1', refundAmount: idr('30000.00') };
  test('every case of a first send', () => {
    expectAll('58', (said) => readRefund(said, refund, { first: true }), {
      pending: ['202 00'],
      failed: [...FINAL, '404 00,01'],
    });
  });

  test('no refusal of a later send is final', () => {
    expectAll('58', (said) => readRefund(said, refund, { first: false }), { pending: ['202 00'] });
  });

  test.each<[object, object]>([
    [done, { outcome: 'succeeded', railReference: 'rf-1' }],
    [{ refundNo: 'rf-1' }, { outcome: 'succeeded' }],
    [{}, { outcome: 'unknown' }],
    [{ ...done, refundAmount: idr('1.00') }, { outcome: 'unknown' }],
    [{ ...done, partnerRefundNo: 'another' }, { outcome: 'unknown' }],
  ])('2005800 with %j', (body, outcome) => {
    expect(readRefund(answer('2005800', body), refund, { first: true })).toMatchObject(outcome);
  });

  test.each<[object[], object]>([
    [[{ partnerRefundNo: 'r-1', refundNo: 'x', refundStatus: '00', refundAmount: idr('30000.00') }], { outcome: 'succeeded' }],
    [[{ partnerRefundNo: 'r-1', refundStatus: '03' }], { outcome: 'pending' }],
    [[{ partnerRefundNo: 'r-1', refundStatus: '06' }], { outcome: 'failed' }],
    [[{ partnerRefundNo: 'r-1', refundStatus: '99' }], { outcome: 'unknown' }],
    [[{ partnerRefundNo: 'r-1', refundStatus: '00', refundAmount: idr('1.00') }], { outcome: 'unknown' }],
    [[{ partnerRefundNo: 'another', refundStatus: '00' }], { outcome: 'not_found' }],
    [[], { outcome: 'not_found' }],
  ])('the history %j', (refundHistory, outcome) => {
    const body = { latestTransactionStatus: '00', originalPartnerReferenceNo: 'c-1', refundHistory };
    expect(readRefundState(answer('2005500', body), refund)).toMatchObject(outcome);
  });
});

describe('OTPs', () => {
  test('every case of 81', () => {
    expectAll('81', readSentOtp, { blocked: ['403 11'], failed: FINAL, unknown: ['403 13'] });
    expect(readSentOtp(answer('2008100', { chargeToken: 't' }))).toEqual({ outcome: 'sent', chargeToken: 't' });
    expect(readSentOtp(answer('2008100'))).toMatchObject({ outcome: 'unknown' });
    // BCA: the OTP may be out.
    expect(readSentOtp(answer('5048100', { chargeToken: 't' }))).toEqual({ outcome: 'sent', chargeToken: 't' });
  });

  test('every case of 04', () => {
    expectAll('04', readVerifiedOtp, {
      wrong: ['404 15'],
      expired: ['403 12,13', '404 06'],
      blocked: ['403 11'],
      failed: FINAL,
    });
    expect(readVerifiedOtp(answer('2000400'))).toEqual({ outcome: 'accepted' });
  });
});

describe('bindings', () => {
  test('every case of 10 and 07', () => {
    expectAll('10', (said) => readAuthorized(said, bind), { failed: [...FINAL, '403 11'] });
    expectAll('07', readBound, { failed: [...FINAL, '403 11'], pending: ['202 00'] });
  });

  test('a code is believed only with the state of its request', () => {
    expect(readAuthorized(answer('2001000', { authCode: 'a', state: 's' }), bind)).toEqual({
      outcome: 'authorized',
      authCode: 'a',
    });
    expect(readAuthorized(answer('2001000', { authCode: 'a', state: 'x' }), bind)).toMatchObject({ outcome: 'unknown' });
  });

  test('a binding without a token for its account waits for a next step', () => {
    expect(readBound(answer('2000700', { accountToken: 't', linkId: 'l' }))).toEqual({
      outcome: 'bound',
      accountToken: 't',
      linkId: 'l',
    });
    expect(readBound(answer('2000700', { nextAction: 'https://bank.example' }))).toEqual({ outcome: 'pending' });
  });

  test('every case of 74, 08 and 09', () => {
    expectAll('74', readTokens, { failed: ['400 01,02', '401 00,02,04'] });
    expectAll('08', readAccount, { gone: ['401 02,04', '403 18', '404 01,11'] });
    const gone = ['401 02,04', '403 18', '404 01,11'];
    expectAll('09', readUnbound, { gone, failed: FINAL });
    const tokens = { accessToken: 'a', refreshToken: 'r', accessTokenExpiryTime: '2026-12-07T10:00:00+07:00' };
    expect(readTokens(answer('2007400', tokens))).toMatchObject({
      outcome: 'issued',
      expiresAtMs: Date.parse('2026-12-07T03:00:00Z'),
    });
    expect(readAccount(answer('2000800', { accountNo: '1234567890' }))).toMatchObject({ outcome: 'found' });
    expect(readAccount(answer('2000800'))).toMatchObject({ outcome: 'unknown' });
    expect(readUnbound(answer('2000900'))).toEqual({ outcome: 'unbound' });
  });
});
