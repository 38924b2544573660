import { BANKS } from '@gerbang/core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BankTransferRail, type BankTransferRequest, openSnapBankTransfer } from '../src/bank-transfer/index.ts';
import { openSnapQris, type QrisRail } from '../src/index.ts';
import { bca } from '../src/providers/bca.ts';
import { type Answer, startRecordedBank } from './recorded-bank.ts';

const OWN_INQUIRY = '/openapi/v1.0/account-inquiry-internal';
const INQUIRY = '/openapi/v2.0/account-inquiry-external';
const OWN_TRANSFER = '/openapi/v1.0/transfer-intrabank';
const TRANSFER = '/openapi/v2.0/transfer-interbank';
const STATUS = '/openapi/v1.0/transfer/status';
const GENERATE = '/openapi/v1.0/qr/qr-mpm-generate';
const QUERY = '/openapi/v1.0/qr/qr-mpm-query';
const NOW_MS = Date.UTC(2026, 10, 21, 8, 4, 5);
const MINUTE_MS = 60_000;

let bank: Awaited<ReturnType<typeof startRecordedBank>>;
let rail: BankTransferRail;
let qris: QrisRail;

beforeAll(async () => {
  bank = await startRecordedBank();
  const credentials = { ...bank.credentials, provider: bca };
  rail = openSnapBankTransfer({ ...credentials, sourceAccountNumber: '1112223334' });
  qris = openSnapQris({ ...credentials, merchantId: 'toko' }, () => NOW_MS);
});

beforeEach(() => bank.reset());

afterAll(async () => {
  await rail?.close();
  await qris?.close();
  await bank?.close();
});

const soon = () => ({ signal: AbortSignal.timeout(5_000) });
const first = () => ({ ...soon(), firstSend: true });
const again = () => ({ ...soon(), firstSend: false });
const toMandiri: BankTransferRequest = {
  partnerReference: 'REF1',
  externalId: '123456789012345678901234567890123456',
  transactionId: '01KTX',
  amountSen: '1000000',
  beneficiaryBankCode: '008',
  beneficiaryAccountNumber: '1234567890',
  beneficiaryAccountName: 'Budi',
  merchantReference: 'm-1',
  remark: 'gaji',
  createdAtMs: NOW_MS,
};
const toBca = { ...toMandiri, beneficiaryBankCode: '014' };
const names = { merchantReference: 'm-1', transactionId: '01KTX' };

describe('a transfer to another bank', () => {
  test('goes over BI-FAST, to the bank by its SWIFT code, with 32 digits of external id', async () => {
    bank.answers.set(TRANSFER, { responseCode: '2001800', referenceNo: 'b-1' });
    expect(await rail.transfer(toMandiri, first())).toEqual({ outcome: 'succeeded', railReference: 'b-1' });
    const { path, headers, body, signedBy } = bank.only();
    expect([path, signedBy, bank.tokenPaths]).toEqual([TRANSFER, 'token', ['/openapi/v1.0/access-token/b2b']]);
    expect(headers).toMatchObject({ 'channel-id': '95051', 'x-external-id': expect.stringMatching(/^\d{32}$/) });
    expect(body).toEqual({
      partnerReferenceNo: 'REF1',
      amount: { value: '10000.00', currency: 'IDR' },
      beneficiaryAccountName: 'Budi',
      beneficiaryAccountNo: '1234567890',
      beneficiaryBankCode: 'BMRIIDJA',
      sourceAccountNo: '1112223334',
      transactionDate: '2026-11-21T15:04:05+07:00',
      additionalInfo: { ...names, remark: 'gaji', transferType: '2', purposeCode: '99' },
    });
  });

  test('is asked about by the id that it was sent under, and by its date', async () => {
    bank.answers.set(STATUS, { responseCode: '2003600', latestTransactionStatus: '03' });
    await rail.transfer(toMandiri, first());
    expect(await rail.inquireTransfer(toMandiri, soon())).toEqual({ outcome: 'pending' });
    const [sent, asked] = bank.calls;
    expect(asked?.path).toBe(STATUS);
    expect(asked?.headers).toMatchObject({ 'channel-id': '95051', 'x-external-id': expect.stringMatching(/^\d{1,32}$/) });
    expect(asked?.body).toEqual({
      originalPartnerReferenceNo: 'REF1',
      originalExternalId: sent?.headers['x-external-id'],
      serviceCode: '18',
      transactionDate: '2026-11-21T15:04:05+07:00',
    });
  });

  test('every bank has a SWIFT code of 8 characters', () => {
    expect(BANKS.filter(({ swiftCode }) => !/^[A-Z0-9]{8}$/.test(swiftCode))).toEqual([]);
  });
});

describe('a transfer within BCA', () => {
  test('has the reference of the inquiry before it', async () => {
    bank.answers.set(OWN_INQUIRY, { responseCode: '2001500', beneficiaryAccountName: 'BUDI' });
    bank.answers.set(OWN_TRANSFER, { responseCode: '2001700', referenceNo: 'b-2' });
    expect(await rail.transfer(toBca, first())).toEqual({ outcome: 'succeeded', railReference: 'b-2' });
    const [inquiry, transfer] = bank.calls;
    expect([inquiry?.path, inquiry?.body]).toEqual([
      OWN_INQUIRY,
      { partnerReferenceNo: 'REF1', beneficiaryAccountNo: '1234567890' },
    ]);
    expect([transfer?.path, transfer?.headers['channel-id']]).toEqual([OWN_TRANSFER, '95051']);
    // 17 takes the standard's 36 digits.
    expect(transfer?.headers['x-external-id']).toBe(toBca.externalId);
    expect(transfer?.body).toEqual({
      partnerReferenceNo: 'REF1',
      amount: { value: '10000.00', currency: 'IDR' },
      beneficiaryAccountNo: '1234567890',
      remark: 'gaji',
      sourceAccountNo: '1112223334',
      transactionDate: '2026-11-21T15:04:05+07:00',
      additionalInfo: names,
    });
  });

  test.each<[string, object, string[]]>([
    ['4041511', { outcome: 'failed', code: '4041511', cause: 'recipient_unknown' }, [OWN_INQUIRY]],
    ['4031518', { outcome: 'failed', code: '4031518', cause: 'other' }, [OWN_INQUIRY]],
    ['5001500', { outcome: 'unknown' }, [OWN_INQUIRY]],
    ['4091500', { outcome: 'unknown' }, [OWN_INQUIRY]],
    // An earlier send has used the reference: that inquiry counts.
    ['4091501', { outcome: 'succeeded' }, [OWN_INQUIRY, OWN_TRANSFER]],
  ])('after an inquiry that answers %s → %j', async (responseCode, outcome, paths) => {
    bank.answers.set(OWN_INQUIRY, { responseCode });
    bank.answers.set(OWN_TRANSFER, { responseCode: '2001700', referenceNo: 'b-2' });
    expect(await rail.transfer(toBca, first())).toMatchObject(outcome);
    expect(bank.calls.map(({ path }) => path)).toEqual(paths);
  });

  test('that may have been sent before does not fail by an inquiry', async () => {
    bank.answers.set(OWN_INQUIRY, { responseCode: '4041511' });
    expect(await rail.transfer(toBca, again())).toMatchObject({ outcome: 'unknown' });
  });

  test('is asked about as service 17', async () => {
    await rail.inquireTransfer(toBca, soon());
    expect(bank.only().body).toMatchObject({ serviceCode: '17', originalExternalId: toBca.externalId });
  });
});

describe('an account inquiry', () => {
  test('within BCA and of another bank', async () => {
    bank.answers.set(OWN_INQUIRY, { responseCode: '2001500', beneficiaryAccountName: 'BUDI' });
    bank.answers.set(INQUIRY, { responseCode: '2001600', beneficiaryAccountName: 'SITI' });
    const of = (bankCode: string) => rail.inquireAccount({ bankCode, accountNumber: '123', partnerReference: 'Q1' }, soon());
    expect([await of('014'), await of('002')]).toEqual([
      { outcome: 'found', accountName: 'BUDI' },
      { outcome: 'found', accountName: 'SITI' },
    ]);
    expect(bank.calls.map(({ path, body }) => [path, body])).toEqual([
      [OWN_INQUIRY, { partnerReferenceNo: 'Q1', beneficiaryAccountNo: '123' }],
      [
        INQUIRY,
        {
          partnerReferenceNo: 'Q1',
          beneficiaryAccountNo: '123',
          beneficiaryBankCode: 'BRINIDJA',
          additionalInfo: { inquiryService: '2' },
        },
      ],
    ]);
  });
});

/** BCA's own lines of snap-services.md. */
test.each([
  ['4031802', 'failed', 'recipient_limit'],
  ['4031804', 'failed', 'other'],
  ['4031814', 'failed', 'other'],
  ['4041811', 'failed', 'recipient_unknown'],
  ['4041813', 'failed', 'other'],
  ['4031815', 'failed', 'other'],
  ['4041803', 'failed', 'other'],
  ['4041802', 'unknown', undefined],
  ['4041818', 'unknown', undefined],
  ['4091801', 'unknown', undefined],
  ['5001801', 'unknown', undefined],
  ['2021800', 'pending', undefined],
])('a transfer that is answered %s has %s', async (responseCode, outcome, cause) => {
  bank.answers.set(TRANSFER, { responseCode });
  expect(await rail.transfer(toMandiri, first())).toMatchObject({ outcome, ...(cause !== undefined && { cause }) });
});

describe('QRIS codes', () => {
  const code = (minutes: number) => ({
    partnerReference: 'q-1',
    amountSen: 100_00n,
    merchantName: 'Toko',
    merchantCity: 'Jakarta',
    expiresAtMs: NOW_MS + minutes * MINUTE_MS,
  });

  test.each([
    [30, '2026-11-21T15:34:05+07:00'],
    [5, '2026-11-21T15:09:05+07:00'],
    [24 * 60, '2026-11-21T17:04:05+07:00'],
  ])('of %i minutes are valid until %s', async (minutes, validityPeriod) => {
    bank.answers.set(GENERATE, { responseCode: '2004700', referenceNo: 'b-3', qrContent: '000201' });
    expect(await qris.generate(code(minutes), soon())).toMatchObject({ outcome: 'succeeded', payload: '000201' });
    const { path, headers, body } = bank.only();
    expect([path, headers['channel-id']]).toEqual([GENERATE, '95251']);
    expect(body).toMatchObject({ partnerReferenceNo: 'q-1', merchantId: 'toko', validityPeriod });
  });

  test('that end sooner than BCA can are not made: they could be paid too late', async () => {
    expect(await qris.generate(code(4.9), soon())).toMatchObject({ outcome: 'failed' });
    expect(bank.calls).toEqual([]);
  });

  test.each<[Answer, object]>([
    [{ responseCode: '2005100', latestTransactionStatus: '03' }, { outcome: 'pending' }],
    [{ responseCode: '2005100', latestTransactionStatus: '04' }, { outcome: 'unknown' }],
    [{ responseCode: '2005100', latestTransactionStatus: '06' }, { outcome: 'failed' }],
    [{ responseCode: '4035100' }, { outcome: 'failed', code: '4035100' }],
    [{ responseCode: '4035101' }, { outcome: 'unknown' }],
    [{ responseCode: '4045101' }, { outcome: 'not_found' }],
    [{ responseCode: '4045108' }, { outcome: 'unknown' }],
  ])('are asked about: %j → %j', async (answer, outcome) => {
    bank.answers.set(QUERY, answer);
    expect(await qris.query({ partnerReference: 'q-1', railReference: '' }, soon())).toMatchObject(outcome);
    const { path, headers, body } = bank.only();
    expect([path, headers['channel-id']]).toEqual([QUERY, '95251']);
    expect(body).toEqual({ originalPartnerReferenceNo: 'q-1', serviceCode: '47', merchantId: 'toko' });
  });

  test.each(['4004700', '4044708'])('are not made by %s', async (responseCode) => {
    bank.answers.set(GENERATE, { responseCode });
    expect(await qris.generate(code(30), soon())).toMatchObject({ outcome: 'failed' });
  });

  test.each(['4094700', '4094701'])('leave it open whether there is one by %s', async (responseCode) => {
    bank.answers.set(GENERATE, { responseCode });
    expect(await qris.generate(code(30), soon())).toMatchObject({ outcome: 'unknown' });
  });

  test('cannot be canceled', async () => {
    expect(await qris.cancel({ partnerReference: 'q-1', railReference: '' }, soon())).toMatchObject({ outcome: 'unknown' });
    expect(bank.calls).toEqual([]);
  });
});

test.each([undefined, '111222333', '11122233344'])('our account has to be named by 10 digits, not %s', (sourceAccountNumber) => {
  const options = { ...bank.credentials, provider: bca, ...(sourceAccountNumber !== undefined && { sourceAccountNumber }) };
  expect(() => openSnapBankTransfer(options)).toThrow('10 digits');
});
