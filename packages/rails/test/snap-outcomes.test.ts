import { describe, expect, test } from 'vitest';
import type { BankTransferRequest } from '../src/index.ts';
import type { SnapAnswer } from '../src/snap-client.ts';
import { readAccount, readStatus, readTransfer } from '../src/snap-outcomes.ts';

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

function answer(responseCode: string, body: object = {}): SnapAnswer {
  const httpStatus = Number(responseCode.slice(0, 3));
  return { httpStatus, responseCode, caseCode: responseCode.slice(5), message: 'said the bank', body };
}

const paid = { referenceNo: 'bank-1', partnerReferenceNo: '01KAB', amount: { value: '10000.00', currency: 'IDR' } };

describe('a transfer', () => {
  test.each<[string, object, string]>([
    ['2001800', paid, 'succeeded'],
    ['2001800', { referenceNo: 'bank-1' }, 'succeeded'],
    ['2001800', {}, 'unknown'],
    ['2001800', { ...paid, referenceNo: '' }, 'unknown'],
    ['2001800', { ...paid, partnerReferenceNo: 'another' }, 'unknown'],
    ['2001800', { ...paid, amount: { value: '10000.01', currency: 'IDR' } }, 'unknown'],
    ['2001800', { ...paid, amount: { value: '10000.00', currency: 'USD' } }, 'unknown'],
    ['2001801', paid, 'unknown'],
    ['2021800', {}, 'pending'],
    ['4011800', {}, 'unknown'],
    ['4031814', {}, 'failed'],
    ['4031805', {}, 'failed'],
    ['4031816', {}, 'unknown'],
    ['4041801', {}, 'unknown'],
    ['4041802', {}, 'failed'],
    ['4041811', {}, 'failed'],
    ['4041818', {}, 'unknown'],
    ['4051800', {}, 'unknown'],
    ['4091800', {}, 'unknown'],
    ['4091801', {}, 'unknown'],
    ['4291800', {}, 'unknown'],
    ['5001800', {}, 'unknown'],
    ['5041800', {}, 'unknown'],
  ])('%s %j → %s, first send or not', (code, body, outcome) => {
    expect(readTransfer(answer(code, body), request, { first: true }).outcome).toBe(outcome);
    expect(readTransfer(answer(code, body), request, { first: false }).outcome).toBe(outcome);
  });

  test.each(['4001800', '4001801', '4001802'])('%s is final for the first send only', (code) => {
    expect(readTransfer(answer(code), request, { first: true })).toEqual({
      outcome: 'failed',
      code,
      reason: 'said the bank',
      beneficiaryUnknown: false,
    });
    expect(readTransfer(answer(code), request, { first: false }).outcome).toBe('unknown');
  });

  test('only 4041811 says that the beneficiary is unknown', () => {
    expect(readTransfer(answer('4041811'), request, { first: false })).toMatchObject({ beneficiaryUnknown: true });
    expect(readTransfer(answer('4031814'), request, { first: false })).toMatchObject({ beneficiaryUnknown: false });
  });
});

describe('the status of a transfer', () => {
  test.each<[string, object, string]>([
    ['2003600', { latestTransactionStatus: '00', originalReferenceNo: 'bank-1' }, 'succeeded'],
    ['2003600', { latestTransactionStatus: '00' }, 'unknown'],
    ['2003600', { latestTransactionStatus: '00', originalReferenceNo: 'b', originalPartnerReferenceNo: 'x' }, 'unknown'],
    [
      '2003600',
      { latestTransactionStatus: '00', originalReferenceNo: 'b', amount: { value: '1.00', currency: 'IDR' } },
      'unknown',
    ],
    ['2003600', { latestTransactionStatus: '01' }, 'pending'],
    ['2003600', { latestTransactionStatus: '02' }, 'pending'],
    ['2003600', { latestTransactionStatus: '03' }, 'pending'],
    ['2003600', { latestTransactionStatus: '04' }, 'returned'],
    ['2003600', { latestTransactionStatus: '05' }, 'failed'],
    ['2003600', { latestTransactionStatus: '06' }, 'failed'],
    ['2003600', { latestTransactionStatus: '06', originalPartnerReferenceNo: 'x' }, 'unknown'],
    ['2003600', { latestTransactionStatus: '07' }, 'not_found'],
    ['2003600', { latestTransactionStatus: '99' }, 'unknown'],
    ['2003600', {}, 'unknown'],
    ['4043601', {}, 'not_found'],
    ['4043611', {}, 'unknown'],
    ['4003601', {}, 'unknown'],
    ['4033614', {}, 'unknown'],
    ['5003600', {}, 'unknown'],
  ])('%s %j → %s', (code, body, outcome) => expect(readStatus(answer(code, body), request).outcome).toBe(outcome));

  test('a failure says why, where the bank does', () => {
    const failed = { latestTransactionStatus: '06', transactionStatusDesc: 'Invalid Account', previousResponseCode: '4041811' };
    expect(readStatus(answer('2003600', failed), request)).toEqual({
      outcome: 'failed',
      code: '4041811',
      reason: 'Invalid Account',
      beneficiaryUnknown: true,
    });
    expect(readStatus(answer('2003600', { latestTransactionStatus: '06' }), request)).toMatchObject({ code: '2003600/06' });
  });
});

test.each<[string, object, string]>([
  ['2001600', { beneficiaryAccountName: 'TEST 7890' }, 'found'],
  ['2001600', {}, 'unknown'],
  ['4041611', {}, 'not_found'],
  ['4041601', {}, 'unknown'],
  ['5001600', {}, 'unknown'],
])('an account inquiry: %s %j → %s', (code, body, outcome) => expect(readAccount(answer(code, body)).outcome).toBe(outcome));
