import { jakartaIso, newUlid } from '@gerbang/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askToken, type Bench, callBank, newExternalId, startBench } from './harness.ts';

const TRANSFER = '/v1.0/transfer-interbank';
const STATUS = '/v1.0/transfer/status';
const INQUIRY = '/v1.0/account-inquiry-external';

let bench: Bench;

beforeAll(async () => {
  bench = await startBench();
});

afterAll(() => bench?.stop());

const transferBody = (over: object = {}) => ({
  partnerReferenceNo: newUlid(Date.now()),
  amount: { value: '10000.00', currency: 'IDR' },
  beneficiaryAccountName: 'Budi',
  beneficiaryAccountNo: '1234567890',
  beneficiaryBankCode: '014',
  transactionDate: jakartaIso(Date.now()),
  ...over,
});
const code = async (call: Promise<{ status: number; json: Record<string, unknown> }>) => {
  const { status, json } = await call;
  expect(String(json.responseCode).slice(0, 3)).toBe(String(status));
  expect(json.responseMessage).toEqual(expect.any(String));
  return json.responseCode;
};

describe('access token', () => {
  test('is given for a signature', async () => {
    const { status, json } = await askToken(bench.url());
    expect(status).toBe(200);
    expect(json).toEqual({
      responseCode: '2007300',
      responseMessage: 'Successful',
      accessToken: expect.stringMatching(/^[\w-]{32,}$/),
      tokenType: 'Bearer',
      expiresIn: '900',
    });
  });

  const late = () => jakartaIso(Date.now() - 301_000);
  test.each<[string, () => Record<string, string | undefined>, string | undefined, string]>([
    ['no client key', () => ({ 'x-client-key': undefined }), undefined, '4007302'],
    ['another client key', () => ({ 'x-client-key': 'other' }), undefined, '4017300'],
    ['no signature', () => ({ 'x-signature': undefined }), undefined, '4007302'],
    ['a wrong signature', () => ({ 'x-signature': 'AAAA' }), undefined, '4017300'],
    ['no timestamp', () => ({ 'x-timestamp': '' }), undefined, '4007302'],
    ['a timestamp without offset', () => ({ 'x-timestamp': '2026-11-21T15:04:05' }), undefined, '4007301'],
    ['a day that is none', () => ({ 'x-timestamp': '2026-13-41T15:04:05+07:00' }), undefined, '4007301'],
    ['a late timestamp', () => ({ 'x-timestamp': late() }), undefined, '4017300'],
    ['no body', () => ({}), '', '4007300'],
    ['another grant', () => ({}), '{"grantType":"password"}', '4007301'],
    ['no grant', () => ({}), '{}', '4007302'],
  ])('%s', async (_what, headers, body, expected) => expect(await code(askToken(bench.url(), headers(), body))).toBe(expected));
});

describe('a transaction is checked before anything is booked', () => {
  test.each<[string, () => Record<string, string | undefined>, string]>([
    ['no token', () => ({ authorization: undefined }), '4001802'],
    ['another token', () => ({ authorization: 'Bearer nobody' }), '4011801'],
    ['no bearer', () => ({ authorization: 'Basic eA==' }), '4011801'],
    ['a wrong signature', () => ({ 'x-signature': 'AAAA' }), '4011800'],
    ['a late timestamp', () => ({ 'x-timestamp': jakartaIso(Date.now() - 301_000) }), '4011800'],
    ['an early timestamp', () => ({ 'x-timestamp': jakartaIso(Date.now() + 302_000) }), '4011800'],
    ['no external id', () => ({ 'x-external-id': undefined }), '4001802'],
    ['letters in the external id', () => ({ 'x-external-id': 'abc' }), '4001801'],
    ['37 digits of external id', () => ({ 'x-external-id': '1'.repeat(37) }), '4001801'],
    ['no partner', () => ({ 'x-partner-id': undefined }), '4001802'],
    ['no channel', () => ({ 'channel-id': undefined }), '4001802'],
  ])('%s', async (_what, headers, expected) => {
    const body = transferBody();
    expect(await code(callBank(bench.url(), TRANSFER, body, headers()))).toBe(expected);
    expect((await bench.books()).some((item) => item.transaction_id === body.partnerReferenceNo)).toBe(false);
  });

  test.each<[string, object | string, string]>([
    ['no JSON', '{"partnerReferenceNo":', '4001800'],
    ['an array', '[]', '4001800'],
    ['no reference', transferBody({ partnerReferenceNo: undefined }), '4001802'],
    ['an empty reference', transferBody({ partnerReferenceNo: '' }), '4001802'],
    ['a long reference', transferBody({ partnerReferenceNo: 'x'.repeat(65) }), '4001801'],
    ['an operator for a reference', transferBody({ partnerReferenceNo: { $gt: '' } }), '4001801'],
    ['no amount', transferBody({ amount: undefined }), '4001802'],
    ['an amount without value', transferBody({ amount: { currency: 'IDR' } }), '4001802'],
    ['a number for an amount', transferBody({ amount: { value: 10000, currency: 'IDR' } }), '4001801'],
    ['one decimal', transferBody({ amount: { value: '10000.0', currency: 'IDR' } }), '4001801'],
    ['nothing', transferBody({ amount: { value: '0.00', currency: 'IDR' } }), '4001801'],
    ['less than nothing', transferBody({ amount: { value: '-1.00', currency: 'IDR' } }), '4001801'],
    ['dollars', transferBody({ amount: { value: '1.00', currency: 'USD' } }), '4001801'],
    ['no account', transferBody({ beneficiaryAccountNo: undefined }), '4001802'],
    ['letters in the account', transferBody({ beneficiaryAccountNo: '12a' }), '4001801'],
    ['no name', transferBody({ beneficiaryAccountName: undefined }), '4001802'],
    ['no bank', transferBody({ beneficiaryBankCode: undefined }), '4001802'],
    ['no date', transferBody({ transactionDate: undefined }), '4001802'],
    ['a date that is none', transferBody({ transactionDate: 'yesterday' }), '4001801'],
  ])('%s', async (_what, body, expected) => {
    const before = await bench.books();
    expect(await code(callBank(bench.url(), TRANSFER, body))).toBe(expected);
    expect(await bench.books()).toEqual(before);
  });

  test('white space in the body is no part of the signature', async () => {
    const body = transferBody();
    const indented = JSON.stringify(body, null, 2);
    expect(await code(callBank(bench.url(), TRANSFER, indented))).toBe('2001800');
    expect((await bench.books()).some((item) => item.transaction_id === body.partnerReferenceNo)).toBe(true);
  });
});

describe('numbers are used once', () => {
  test('an external id: once a day for all services, 409 00', async () => {
    const taken = newExternalId();
    const used = { 'x-external-id': taken };
    expect(await code(callBank(bench.url(), TRANSFER, transferBody(), used))).toBe('2001800');
    expect(await code(callBank(bench.url(), TRANSFER, transferBody(), used))).toBe('4091800');
    const account = { beneficiaryBankCode: '014', beneficiaryAccountNo: '1' };
    const status = { originalPartnerReferenceNo: 'x', serviceCode: '18' };
    expect(await code(callBank(bench.url(), INQUIRY, account, used))).toBe('4091600');
    expect(await code(callBank(bench.url(), STATUS, status, used))).toBe('4093600');
    const inquired = { 'x-external-id': newExternalId() };
    expect(await code(callBank(bench.url(), INQUIRY, account, inquired))).toBe('2001600');
    expect(await code(callBank(bench.url(), INQUIRY, account, inquired))).toBe('4091600');
    expect(await code(callBank(bench.url(), TRANSFER, transferBody(), inquired))).toBe('4091800');
    expect(await code(callBank(bench.url(), TRANSFER, transferBody(), { ...used, 'x-partner-id': 'another' }))).toBe('2001800');
  });

  test('a rejected request has not used its external id', async () => {
    const used = { 'x-external-id': newExternalId() };
    expect(await code(callBank(bench.url(), TRANSFER, transferBody({ amount: undefined }), used))).toBe('4001802');
    expect(await code(callBank(bench.url(), TRANSFER, transferBody(), used))).toBe('2001800');
  });

  test('a partner reference: for ever, 409 01', async () => {
    const body = transferBody();
    expect(await code(callBank(bench.url(), TRANSFER, body))).toBe('2001800');
    expect(await code(callBank(bench.url(), TRANSFER, body))).toBe('4091801');
    expect(await code(callBank(bench.url(), TRANSFER, { ...body, amount: { value: '1.00', currency: 'IDR' } }))).toBe('4091801');
    const [item, ...more] = (await bench.books()).filter(({ transaction_id }) => transaction_id === body.partnerReferenceNo);
    expect(more).toEqual([]);
    expect(item?.amount).toEqual(body.amount);
    expect(item?.reference_number).toBe(body.partnerReferenceNo);
  });
});

describe('transfer status', () => {
  test('4043601 for a reference that is not booked, with whatever is in it', async () => {
    for (const originalPartnerReferenceNo of ['unknown', '$where', '__proto__']) {
      expect(await code(callBank(bench.url(), STATUS, { originalPartnerReferenceNo, serviceCode: '18' }))).toBe('4043601');
    }
  });

  test('tells what was booked', async () => {
    const body = transferBody();
    const { json: sent } = await callBank(bench.url(), TRANSFER, body);
    const { json } = await callBank(bench.url(), STATUS, {
      originalPartnerReferenceNo: body.partnerReferenceNo,
      serviceCode: '18',
    });
    expect(json).toEqual({
      responseCode: '2003600',
      responseMessage: 'Successful',
      originalReferenceNo: sent.referenceNo,
      originalPartnerReferenceNo: body.partnerReferenceNo,
      serviceCode: '18',
      transactionDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+07:00$/),
      amount: body.amount,
      beneficiaryAccountNo: body.beneficiaryAccountNo,
      beneficiaryBankCode: '014',
      latestTransactionStatus: '00',
      transactionStatusDesc: 'Success',
    });
  });

  test.each([
    [{ serviceCode: '18' }, '4003602'],
    [{ originalPartnerReferenceNo: 'x' }, '4003602'],
    [{ originalPartnerReferenceNo: 'x', serviceCode: '99' }, '4003601'],
  ])('refuses %j', async (body, expected) => expect(await code(callBank(bench.url(), STATUS, body))).toBe(expected));
});
