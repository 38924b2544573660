import { describe, expect, test } from 'vitest';
import type { BankTransferRequest } from '../src/bank-transfer/index.ts';
import { readAccount, readStatus, readTransfer } from '../src/bank-transfer/outcomes.ts';
import type { SnapAnswer } from '../src/snap-client.ts';
import { numbered, SNAP_CASES } from './snap-cases.ts';

const request: BankTransferRequest = {
  partnerReference: '01KAB',
  externalId: '1',
  amountSen: '1000000',
  beneficiaryBankCode: '014',
  beneficiaryAccountNumber: '1234567890',
  beneficiaryAccountName: '',
  merchantReference: 'm',
  remark: '',
  createdAtMs: 0,
};
const first = { firstSend: true };
const again = { firstSend: false };

function answer(responseCode: string, body: object = {}): SnapAnswer {
  const httpStatus = Number(responseCode.slice(0, 3));
  return { httpStatus, responseCode, caseCode: responseCode.slice(5), message: 'said the bank', body };
}

/** The answer of a service with a case of SNAP's list: 40311 of 18 is 4031811. */
const answered = (service: string, code: string, body: object = {}) =>
  answer(`${code.slice(0, 3)}${service}${code.slice(3)}`, body);

const amount = { value: '10000.00', currency: 'IDR' };
const paid = { referenceNo: 'bank-1', partnerReferenceNo: '01KAB', amount };

/**
 * Read from snap-services.md by hand, sections 8 and 10: not executed, and final for a first send. BCA's own lines for 17 and 18
 * (403 02, 04, 14, 18; 404 03, 11, 13; 403 15) are among them.
 */
const FAILED = new Set([
  ...numbered(400, 0, 2),
  ...numbered(403, 0, 11),
  ...['40314', '40315', '40317', '40318', '40319', '40320', '40321', '40322', '40323'],
  ...['40403', '40404', '40405', '40407', '40408', '40409', '40410', '40411', '40412', '40413', '40414'],
  ...['40416', '40417', '40419'],
  ...numbered(405, 0, 1),
]);
/** Of the one-time password, which no transfer has. */
const NEVER_ENDS = new Set(['40312', '40313', '40406', '40415']);

describe.each(['17', '18'])('a transfer (%s)', (service) => {
  const outcome = (code: string, sent: { firstSend: boolean }, body: object = {}) =>
    readTransfer(answered(service, code, body), request, sent);

  test.each(SNAP_CASES)('%s', (code) => {
    const open = code === '20200' ? 'pending' : 'unknown';
    const expected = code === '20000' ? 'succeeded' : FAILED.has(code) ? 'failed' : open;
    expect(outcome(code, first, paid).outcome).toBe(expected);
    expect('needsOperator' in outcome(code, first, paid)).toBe(NEVER_ENDS.has(code));
  });

  test.each(SNAP_CASES)('%s after an unanswered send is no failure', (code) => {
    const open = code === '20200' ? 'pending' : 'unknown';
    expect(outcome(code, again, paid).outcome).toBe(code === '20000' ? 'succeeded' : open);
  });

  test('what decides nothing: other content, used references, a switch that is not reached, what no list has', () => {
    for (const code of ['40418', '40900', '40901', '40402', '50001', '50400', '20001', '20100', '40324', '41000', '50300'])
      expect([code, outcome(code, first, paid).outcome]).toEqual([code, 'unknown']);
  });
});

describe('what a transfer’s success says', () => {
  test.each<[object, string]>([
    [paid, 'succeeded'],
    [{ referenceNo: 'bank-1' }, 'succeeded'],
    [{}, 'unknown'],
    [{ ...paid, referenceNo: '' }, 'unknown'],
    [{ ...paid, partnerReferenceNo: 'another' }, 'unknown'],
    [{ ...paid, amount: { value: '10000.01', currency: 'IDR' } }, 'unknown'],
    [{ ...paid, amount: { value: '10000.00', currency: 'USD' } }, 'unknown'],
  ])('%j → %s, first send or not', (body, outcome) => {
    expect(readTransfer(answer('2001800', body), request, first).outcome).toBe(outcome);
    expect(readTransfer(answer('2001800', body), request, again).outcome).toBe(outcome);
  });
});

test.each([
  ['4041811', 'recipient_unknown'],
  ['4031802', 'recipient_limit'],
  ['4031823', 'recipient_limit'],
  // A limit of our own at the bank.
  ['4031820', 'other'],
  ['4031804', 'other'],
  ['4031814', 'other'],
  ['4031818', 'other'],
  ['4001801', 'other'],
])('%s has failed because of %s', (code, cause) => {
  expect(readTransfer(answer(code), request, first)).toEqual({ outcome: 'failed', code, reason: 'said the bank', cause });
});

describe('the status of a transfer (36)', () => {
  test.each(SNAP_CASES.filter((code) => code !== '20000'))('%s never ends a transfer', (code) => {
    const { outcome } = readStatus(answered('36', code, { latestTransactionStatus: '06' }), request);
    expect(outcome).toBe(code === '40401' ? 'not_found' : 'unknown');
  });

  test.each(['40000', '40305', '40411', '40418', '40500'])('%s is for operators', (code) =>
    expect(readStatus(answered('36', code), request)).toMatchObject({ needsOperator: true }),
  );

  test.each(['20200', '40100', '40304', '40402', '40900', '42900', '50000', '50400', '20001'])('%s is asked again', (code) =>
    expect(readStatus(answered('36', code), request)).not.toHaveProperty('needsOperator'),
  );

  const is = (latestTransactionStatus: string, more: object = {}) => ({ latestTransactionStatus, ...more });
  test.each<[object, object]>([
    [is('00', { originalReferenceNo: 'bank-1' }), { outcome: 'succeeded', railReference: 'bank-1' }],
    [is('00'), { outcome: 'unknown' }],
    [is('00', { originalReferenceNo: 'b', originalPartnerReferenceNo: 'x' }), { outcome: 'unknown', needsOperator: true }],
    [is('00', { originalReferenceNo: 'b', amount: { ...amount, value: '1.00' } }), { outcome: 'unknown', needsOperator: true }],
    [is('01'), { outcome: 'pending' }],
    [is('02'), { outcome: 'pending' }],
    [is('03'), { outcome: 'pending' }],
    [is('04', { originalReferenceNo: 'b' }), { outcome: 'returned', railReference: 'b', reason: 'Returned by the bank' }],
    [is('05'), { outcome: 'failed', code: '2003600/05', cause: 'other' }],
    [is('06'), { outcome: 'failed', code: '2003600/06', reason: 'Failed at the bank', cause: 'other' }],
    [is('06', { previousResponseCode: '4041811' }), { outcome: 'failed', code: '4041811', cause: 'recipient_unknown' }],
    [is('06', { previousResponseCode: '4031723' }), { outcome: 'failed', code: '4031723', cause: 'recipient_limit' }],
    [is('06', { transactionStatusDesc: 'Closed' }), { outcome: 'failed', reason: 'Closed' }],
    [is('06', { originalPartnerReferenceNo: 'x' }), { outcome: 'unknown', needsOperator: true }],
    [is('07'), { outcome: 'not_found' }],
    [is('99'), { outcome: 'unknown', needsOperator: true }],
    [{}, { outcome: 'unknown' }],
  ])('%j → %j', (body, outcome) => expect(readStatus(answer('2003600', body), request)).toMatchObject(outcome));
});

describe.each(['15', '16'])('an account inquiry (%s)', (service) => {
  /** There is none, or it is dormant or inactive. */
  const NOT_FOUND = ['40411', '40309', '40318'];

  test.each(SNAP_CASES)('%s', (code) => {
    const { outcome } = readAccount(answered(service, code, { beneficiaryAccountName: 'TEST 7890' }));
    expect(outcome).toBe(code === '20000' ? 'found' : NOT_FOUND.includes(code) ? 'not_found' : 'unknown');
  });

  test('without a name says nothing', () => {
    expect(readAccount(answered(service, '20000')).outcome).toBe('unknown');
  });
});
