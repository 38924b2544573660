import { describe, expect, test } from 'vitest';
import type { QrisPaymentRequest } from '../src/qris-payment/index.ts';
import { readCancellation, readDecoding, readPayment, readPaymentState, readRefund } from '../src/qris-payment/outcomes.ts';
import type { SnapAnswer } from '../src/snap-client.ts';

const request: QrisPaymentRequest = {
  partnerReference: '6601KAB',
  externalId: '1',
  amountSen: '1100000',
  tipSen: '100000',
  merchantReference: 'm',
  createdAtMs: 0,
};
const scan = { partnerReference: '6601KAB', payload: 'q', amountSen: 11_000_00n };

function answer(responseCode: string, body: object = {}): SnapAnswer {
  const httpStatus = Number(responseCode.slice(0, 3));
  return { httpStatus, responseCode, caseCode: responseCode.slice(5), message: 'said the acquirer', body };
}

/** Every case of snap-services.md, section 10, and those of the OTP path, by HTTP status. */
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
const ALL = Object.entries(CASES).flatMap(([http, codes]) => codes.split(' ').map((code) => [http, code] as const));
const listed = (texts: readonly string[]) =>
  new Set(texts.flatMap((text) => (text.split(' ')[1] ?? '').split(',').map((code) => `${text.slice(0, 3)}/${code}`)));

/** Explicit and final, of a first send. */
const FINAL = listed([
  '400 00,01,02',
  '403 00,01,02,03,04,05,06,07,08,09,10,11,14,15,17,18,19,20,21,22,23',
  '404 03,04,05,07,08,09,10,11,12,13,14,16,17,19',
  '405 00,01',
]);

const paid = { referenceNo: 'a-1', partnerReferenceNo: '6601KAB', amount: { value: '11000.00', currency: 'IDR' } };

describe('a payment (50)', () => {
  test.each<[string, object, object]>([
    ['2005000', paid, { outcome: 'succeeded', railReference: 'a-1', rrn: 'a-1' }],
    ['2005000', { ...paid, additionalInfo: { rrn: '123' } }, { outcome: 'succeeded', railReference: 'a-1', rrn: '123' }],
    ['2005000', { referenceNo: 'a-1' }, { outcome: 'succeeded' }],
    ['2005000', {}, { outcome: 'unknown' }],
    ['2005000', { ...paid, referenceNo: '' }, { outcome: 'unknown' }],
    ['2005000', { ...paid, partnerReferenceNo: 'another' }, { outcome: 'unknown' }],
    ['2005000', { ...paid, amount: { value: '10000.00', currency: 'IDR' } }, { outcome: 'unknown' }],
    ['2005000', { ...paid, amount: { value: '11000.00', currency: 'USD' } }, { outcome: 'unknown' }],
    ['2005001', paid, { outcome: 'unknown' }],
  ])('%s %j', (code, body, outcome) => {
    expect(readPayment(answer(code, body), request, { first: true })).toMatchObject(outcome);
    expect(readPayment(answer(code, body), request, { first: false })).toMatchObject(outcome);
  });

  test.each(ALL)('%s with case %s', (http, code) => {
    const read = (first: boolean) => readPayment(answer(`${http}50${code}`), request, { first }).outcome;
    const first = http === '202' ? 'pending' : FINAL.has(`${http}/${code}`) ? 'failed' : 'unknown';
    expect(read(true)).toBe(first);
    // Of an earlier send a refusal says nothing.
    expect(read(false)).toBe(http === '202' ? 'pending' : 'unknown');
  });

  test('a case that SNAP does not have is never final', () => {
    const known = new Set(['200/00', ...ALL.map((one) => one.join('/'))]);
    for (const http of [200, 202, 400, 401, 403, 404, 405, 409, 429, 500, 502, 503, 504]) {
      for (let code = 0; code < 100; code++) {
        const caseCode = String(code).padStart(2, '0');
        if (known.has(`${http}/${caseCode}`)) continue;
        expect(readPayment(answer(`${http}50${caseCode}`, paid), request, { first: true }).outcome).toBe('unknown');
      }
    }
  });

  test.each([
    ['4045008', 'merchant_unknown'],
    ['4045011', 'merchant_unknown'],
    ['4035020', 'merchant_limit'],
    ['4035023', 'merchant_limit'],
    ['4035005', 'other'],
  ])('%s is because of: %s', (code, cause) => {
    expect(readPayment(answer(code), request, { first: true })).toEqual({
      outcome: 'failed',
      code,
      reason: 'said the acquirer',
      cause,
    });
  });
});

describe('the state of a payment (51)', () => {
  const is = (latestTransactionStatus: string, more: object = {}) => ({ latestTransactionStatus, ...more });
  test.each<[string, object, object]>([
    ['2005100', is('00', { originalReferenceNo: 'a-1' }), { outcome: 'succeeded', railReference: 'a-1', rrn: 'a-1' }],
    ['2005100', is('00', { originalReferenceNo: 'a-1', additionalInfo: { rrn: '9' } }), { outcome: 'succeeded', rrn: '9' }],
    ['2005100', is('00'), { outcome: 'unknown' }],
    ['2005100', is('00', { originalReferenceNo: 'a', originalPartnerReferenceNo: 'x' }), { outcome: 'unknown' }],
    ['2005100', is('00', { originalReferenceNo: 'a', amount: { value: '1.00', currency: 'IDR' } }), { outcome: 'unknown' }],
    ['2005100', is('01'), { outcome: 'pending' }],
    ['2005100', is('02'), { outcome: 'pending' }],
    ['2005100', is('03'), { outcome: 'pending' }],
    ['2005100', is('04', { originalReferenceNo: 'a' }), { outcome: 'returned', railReference: 'a', reason: 'Refunded' }],
    ['2005100', is('05'), { outcome: 'canceled' }],
    ['2005100', is('06'), { outcome: 'failed', code: '2005100/06', cause: 'other' }],
    ['2005100', is('06', { originalResponseCode: '4045008' }), { outcome: 'failed', code: '4045008', cause: 'merchant_unknown' }],
    ['2005100', is('06', { originalPartnerReferenceNo: 'x' }), { outcome: 'unknown' }],
    ['2005100', is('07'), { outcome: 'not_found' }],
    ['2005100', is('99'), { outcome: 'unknown' }],
    ['2005100', {}, { outcome: 'unknown' }],
    ['2005101', is('06'), { outcome: 'unknown' }],
  ])('%s %j', (code, body, outcome) => expect(readPaymentState(answer(code, body), request)).toMatchObject(outcome));

  test.each(ALL)('%s with case %s never ends a payment', (http, code) => {
    const { outcome } = readPaymentState(answer(`${http}51${code}`, is('06')), request);
    expect(outcome).toBe(`${http}/${code}` === '404/01' ? 'not_found' : 'unknown');
  });
});

describe('a cancellation (77)', () => {
  test.each<[string, object, string]>([
    ['2007700', {}, 'canceled'],
    ['2007700', { originalPartnerReferenceNo: '6601KAB', cancelTime: '2026-11-22T15:00:00+07:00' }, 'canceled'],
    ['2007700', { originalPartnerReferenceNo: 'another' }, 'unknown'],
    ['2007700', { amount: { value: '1.00', currency: 'IDR' } }, 'unknown'],
    ['2007701', {}, 'unknown'],
  ])('%s %j → %s', (code, body, outcome) => expect(readCancellation(answer(code, body), request).outcome).toBe(outcome));

  test.each(ALL)('%s with case %s says nothing of the payment', (http, code) => {
    const { outcome } = readCancellation(answer(`${http}77${code}`), request);
    expect(outcome).toBe(`${http}/${code}` === '404/01' ? 'not_found' : 'unknown');
  });
});

describe('a refund (78)', () => {
  const refund = { payment: request, refundReference: 'R1' };
  const given = { refundNo: 'b-1', partnerRefundNo: 'R1', refundAmount: { value: '11000.00', currency: 'IDR' } };
  test.each<[string, object, object]>([
    ['2007800', given, { outcome: 'refunded' }],
    ['2007800', { refundNo: 'b-1' }, { outcome: 'refunded' }],
    ['2007800', {}, { outcome: 'unknown' }],
    ['2007800', { ...given, partnerRefundNo: 'R2' }, { outcome: 'unknown' }],
    ['2007800', { ...given, originalPartnerReferenceNo: 'another' }, { outcome: 'unknown' }],
    // A part of it is not what was asked for.
    ['2007800', { ...given, refundAmount: { value: '10000.00', currency: 'IDR' } }, { outcome: 'unknown' }],
    ['2007801', given, { outcome: 'unknown' }],
    ['4037815', {}, { outcome: 'refused', code: '4037815', reason: 'said the acquirer' }],
    ['4047813', {}, { outcome: 'refused' }],
    ['4057801', {}, { outcome: 'refused' }],
  ])('%s %j', (code, body, outcome) => expect(readRefund(answer(code, body), refund, { first: true })).toMatchObject(outcome));

  test.each(ALL)('%s with case %s', (http, code) => {
    const read = (first: boolean) => readRefund(answer(`${http}78${code}`), refund, { first }).outcome;
    const isRefusal = FINAL.has(`${http}/${code}`) || listed(['404 00,01']).has(`${http}/${code}`);
    expect(read(true)).toBe(http === '202' ? 'pending' : isRefusal ? 'refused' : 'unknown');
    // Of an earlier send a refusal says nothing, and 404/18 decides nothing.
    expect(read(false)).toBe(http === '202' ? 'pending' : 'unknown');
  });
});

describe('a code (48)', () => {
  const PROBLEMS: Readonly<Record<string, ReadonlySet<string>>> = {
    expired: listed(['403 00', '404 19']),
    paid: listed(['404 14']),
    used: listed(['404 18', '409 01']),
    invalid: listed(['400 01', '404 12']),
    amount: listed(['403 02,20,23', '404 13']),
    merchant: listed(['404 08,11,16,17']),
    other: listed(['403 01,03,04,05,06,09,14,15,18,19,21,22', '404 03,04,05,07,09,10', '405 00,01']),
  };

  test.each(ALL)('%s with case %s', (http, code) => {
    const problem = Object.keys(PROBLEMS).find((name) => PROBLEMS[name]?.has(`${http}/${code}`));
    expect(readDecoding(answer(`${http}48${code}`), scan)).toMatchObject(
      problem === undefined ? { outcome: 'unknown' } : { outcome: 'refused', problem },
    );
  });

  test.each<[object, string]>([
    [{}, 'found'],
    [{ partnerReferenceNo: '6601KAB', transactionAmount: { value: '11000.00', currency: 'IDR' } }, 'found'],
    [{ transactionAmount: { value: '11000.01', currency: 'IDR' } }, 'unknown'],
    [{ transactionAmount: { value: '11000.00', currency: 'USD' } }, 'unknown'],
    [{ partnerReferenceNo: 'another' }, 'unknown'],
  ])('2004800 %j → %s', (body, outcome) => expect(readDecoding(answer('2004800', body), scan).outcome).toBe(outcome));
});
