import { describe, expect, test } from 'vitest';
import type { SnapAnswer } from '../src/snap-client.ts';
import { readCreation, readRefund, readState as readWallet } from '../src/snap-ewallet.ts';
import { readState as readCode, readGeneration } from '../src/snap-qris.ts';

function answer(responseCode: string, body: object = {}): SnapAnswer {
  const httpStatus = Number(responseCode.slice(0, 3));
  return { httpStatus, responseCode, caseCode: responseCode.slice(5), message: 'said the rail', body };
}

const idr = (value: string) => ({ value, currency: 'IDR' });

describe('a code of the acquirer', () => {
  const request = {
    partnerReference: 'q-1',
    amountSen: 100n,
    merchantName: 'Toko',
    merchantCity: 'Jakarta',
    expiresAtMs: 0,
  };
  const code = { partnerReference: 'q-1', railReference: 'a-1' };

  test.each<[string, object, string]>([
    ['2004700', { referenceNo: 'a-1', partnerReferenceNo: 'q-1', qrContent: '000201' }, 'succeeded'],
    ['2004700', { referenceNo: 'a-1', partnerReferenceNo: 'other', qrContent: '000201' }, 'unknown'],
    ['2004700', { referenceNo: 'a-1' }, 'unknown'],
    ['2004701', { referenceNo: 'a-1', qrContent: '000201' }, 'unknown'],
    ['4004701', {}, 'failed'],
    ['5004700', {}, 'unknown'],
  ])('%s %j → %s', (responseCode, body, outcome) => {
    expect(readGeneration(answer(responseCode, body), request).outcome).toBe(outcome);
  });

  const paid = {
    latestTransactionStatus: '00',
    originalReferenceNo: 'a-1',
    originalPartnerReferenceNo: 'q-1',
    amount: idr('25000.00'),
    paidTime: '2026-11-21T15:04:05+07:00',
  };

  test('that is paid tells when, how much and by which reference', () => {
    expect(readCode(answer('2005100', paid), code)).toEqual({
      outcome: 'paid',
      railReference: 'a-1',
      amountSen: 2_500_000n,
      paidAtMs: Date.UTC(2026, 10, 21, 8, 4, 5),
    });
  });

  test.each<[string, object, string]>([
    ['2005100', { ...paid, amount: undefined }, 'unknown'],
    ['2005100', { ...paid, amount: { value: '1', currency: 'USD' } }, 'unknown'],
    ['2005100', { ...paid, paidTime: undefined }, 'unknown'],
    ['2005100', { ...paid, originalPartnerReferenceNo: 'q-2' }, 'unknown'],
    ['2005100', { latestTransactionStatus: '03' }, 'pending'],
    ['2005100', { latestTransactionStatus: '04' }, 'unknown'],
    ['2005100', { latestTransactionStatus: '05' }, 'failed'],
    ['2005100', { latestTransactionStatus: '06' }, 'failed'],
    ['2005100', { latestTransactionStatus: '07' }, 'not_found'],
    ['4045101', {}, 'not_found'],
    ['4005101', {}, 'unknown'],
    ['4035101', {}, 'unknown'],
    ['5045100', {}, 'unknown'],
  ])('query %s %j → %s', (responseCode, body, outcome) => {
    expect(readCode(answer(responseCode, body), code).outcome).toBe(outcome);
  });
});

describe('an e-wallet’s payment', () => {
  const payment = { partnerReference: '88X', railReference: '', amountSen: 1_000_000n };

  test.each<[string, object, object]>([
    [
      '2005400',
      { referenceNo: 'w-1', webRedirectUrl: 'https://wallet.example/p' },
      { outcome: 'pending', redirectUrl: 'https://wallet.example/p' },
    ],
    ['2005400', { referenceNo: 'w-1' }, { outcome: 'pending', redirectUrl: undefined }],
    ['2005400', { referenceNo: 'w-1', webRedirectUrl: 'javascript:alert(1)' }, { outcome: 'unknown' }],
    ['2005400', { referenceNo: 'w-1', partnerReferenceNo: '88Y' }, { outcome: 'unknown' }],
    ['4035405', {}, { outcome: 'failed', code: '4035405', reason: 'said the rail' }],
    ['5045400', {}, { outcome: 'unknown' }],
  ])('%s %j → %j', (code, body, outcome) => {
    expect(readCreation(answer(code, body), '88X')).toMatchObject(outcome);
  });

  test.each<[string, object, string]>([
    [
      '2005500',
      {
        latestTransactionStatus: '00',
        originalReferenceNo: 'w-1',
        transAmount: idr('10000.00'),
        paidTime: '2026-11-21T15:04:05+07:00',
      },
      'paid',
    ],
    ['2005500', { latestTransactionStatus: '00', originalReferenceNo: 'w-1' }, 'unknown'],
    ['2005500', { latestTransactionStatus: '01' }, 'pending'],
    ['2005500', { latestTransactionStatus: '06', originalPartnerReferenceNo: 'another' }, 'unknown'],
    ['2005500', { latestTransactionStatus: '06' }, 'failed'],
    ['4045501', {}, 'not_found'],
    ['4005502', {}, 'unknown'],
    ['4035501', {}, 'unknown'],
    ['4295500', {}, 'unknown'],
  ])('status %s %j → %s', (code, body, outcome) => {
    expect(readWallet(answer(code, body), payment).outcome).toBe(outcome);
  });

  test.each<[string, object, string]>([
    ['2005800', { refundNo: 'r-1' }, 'succeeded'],
    ['2005800', {}, 'unknown'],
    ['2025800', {}, 'pending'],
    ['4035814', {}, 'failed'],
    ['4045801', {}, 'not_found'],
    ['5005800', {}, 'unknown'],
  ])('refund %s %j → %s', (code, body, outcome) => expect(readRefund(answer(code, body)).outcome).toBe(outcome));
});
