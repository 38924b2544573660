import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EwalletTopupRail, type EwalletTopupRequest, openSnapEwalletTopup } from '../src/ewallet-topup/index.ts';
import { dana } from '../src/providers/dana.ts';
import { type Answer, startRecordedBank } from './recorded-bank.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const INQUIRY = '/rest/v1.0/emoney/account-inquiry';
const TOPUP = '/rest/v1.0/emoney/topup';
const STATUS = '/rest/v1.0/emoney/topup-status';
const FUND = { fundType: 'AGENT_TOPUP_FOR_USER_SETTLE' };

let bank: Awaited<ReturnType<typeof startRecordedBank>>;
let rail: EwalletTopupRail;

beforeAll(async () => {
  bank = await startRecordedBank();
  // What DANA does not use is not configured.
  rail = openSnapEwalletTopup({ ...bank.credentials, provider: dana, clientKey: '', clientSecret: '' });
});

beforeEach(() => bank.reset());

afterAll(async () => {
  await rail?.close();
  await bank?.close();
});

const soon = () => ({ signal: AbortSignal.timeout(5_000) });
const first = () => ({ ...soon(), firstSend: true });
const again = () => ({ ...soon(), firstSend: false });
const request: EwalletTopupRequest = {
  partnerReference: '8801KAB',
  externalId: '12345678901234567890123456789012',
  amountSen: '5000000',
  channel: 'DANA',
  phoneNumber: '6281234567890',
  transactionId: '01KTX',
  merchantReference: 'm-1',
  notes: 'gaji',
  createdAtMs: Date.UTC(2026, 10, 21, 8, 4, 5),
};

describe('what DANA is sent', () => {
  test('an account inquiry, signed by our key and without a token', async () => {
    bank.answers.set(INQUIRY, { responseCode: '2003700', customerName: 'DNID BUDI' });
    const found = await rail.inquireWallet({ channel: 'DANA', phoneNumber: '6281234567890' }, soon());
    expect(found).toEqual({ outcome: 'found', name: 'BUDI' });
    const { path, headers, body, signedBy } = bank.only();
    expect([path, signedBy]).toEqual([INQUIRY, 'own-key']);
    expect(headers).toMatchObject({
      'x-partner-id': 'partner',
      'channel-id': '95221',
      'x-external-id': expect.stringMatching(UUID),
    });
    expect(headers).not.toHaveProperty('authorization');
    expect(body).toEqual({
      customerNumber: '6281234567890',
      amount: { value: '1000.00', currency: 'IDR' },
      additionalInfo: FUND,
    });
    expect(bank.tokenPaths).toEqual([]);
  });

  test('a top-up, alike at every send, and a question that names it by the same id', async () => {
    bank.answers.set(TOPUP, { responseCode: '2003800', referenceNo: 'd-1' });
    bank.answers.set(STATUS, { responseCode: '2003900', latestTransactionStatus: '00', originalReferenceNo: 'd-1' });
    expect(await rail.topUp(request, first())).toEqual({ outcome: 'succeeded', railReference: 'd-1' });
    expect(await rail.topUp(structuredClone(request), again())).toEqual({ outcome: 'succeeded', railReference: 'd-1' });
    expect(await rail.inquireTopup(request, soon())).toEqual({ outcome: 'succeeded', railReference: 'd-1' });
    const [one, two, question] = bank.calls;
    expect(one?.path).toBe(TOPUP);
    expect(one?.body).toEqual({
      partnerReferenceNo: '8801KAB',
      customerNumber: '6281234567890',
      amount: { value: '50000.00', currency: 'IDR' },
      transactionDate: '2026-11-21T15:04:05+07:00',
      notes: 'gaji',
      additionalInfo: { merchantReference: 'm-1', transactionId: '01KTX', ...FUND },
    });
    const externalId = one?.headers['x-external-id'];
    expect(externalId).toMatch(UUID);
    expect([two?.body, two?.headers['x-external-id']]).toEqual([one?.body, externalId]);
    expect(question?.path).toBe(STATUS);
    expect(question?.body).toEqual({
      originalPartnerReferenceNo: '8801KAB',
      originalExternalId: externalId,
      serviceCode: '38',
    });
    expect(bank.calls.map(({ signedBy }) => signedBy)).toEqual(['own-key', 'own-key', 'own-key']);
  });

  test('nothing of another wallet: the number is another customer’s there', async () => {
    const ovo = { ...request, channel: 'OVO' as const };
    expect(await rail.topUp(ovo, first())).toMatchObject({ outcome: 'failed', cause: 'other' });
    expect(await rail.topUp(ovo, again())).toMatchObject({ outcome: 'unknown', needsOperator: true });
    expect(await rail.inquireWallet(ovo, soon())).toMatchObject({ outcome: 'unknown' });
    expect(bank.calls).toEqual([]);
  });
});

/** DANA's UAT scenarios, as snap-services.md has them. */
describe('what DANA answers', () => {
  const because = (resultMsg: string) => ({ additionalInfo: { resultMsg } });
  test.each<[Answer, object]>([
    [{ responseCode: '4033705', ...because('PAYEE_USER_STATUS_DISABLE') }, { outcome: 'not_found' }],
    [{ responseCode: '4033705', ...because('PAYEE_USER_NOT_EXIST') }, { outcome: 'not_found' }],
    [{ responseCode: '4033702' }, { outcome: 'over_limit' }],
  ])('37: %j → %j', async (answer, outcome) => {
    bank.answers.set(INQUIRY, answer);
    expect(await rail.inquireWallet({ channel: 'DANA', phoneNumber: '628' }, soon())).toEqual(outcome);
  });

  test.each<[Answer, object]>([
    // The same reference with another amount: what became of the first request is asked.
    [{ responseCode: '4043818' }, { outcome: 'unknown' }],
    [
      { responseCode: '4033805', ...because('PAYEE_USER_NOT_EXIST') },
      { outcome: 'failed', cause: 'recipient_unknown' },
    ],
    [
      { responseCode: '4033805', ...because('PAYEE_USER_STATUS_DISABLE') },
      { outcome: 'failed', cause: 'other' },
    ],
    [{ responseCode: '4033802' }, { outcome: 'failed', cause: 'recipient_limit' }],
    [{ responseCode: '4033814' }, { outcome: 'failed', cause: 'other' }],
    [{ responseCode: '5003800' }, { outcome: 'unknown' }],
    [{ responseCode: '5003801' }, { outcome: 'unknown' }],
  ])('38: %j → %j, and no failure of a later send', async (answer, outcome) => {
    bank.answers.set(TOPUP, answer);
    expect(await rail.topUp(request, first())).toMatchObject(outcome);
    expect(await rail.topUp(request, again())).toMatchObject({ outcome: 'unknown' });
  });

  test.each<[Answer, object]>([
    [{ responseCode: '2003900', latestTransactionStatus: '06' }, { outcome: 'failed' }],
    [{ responseCode: '2003900', latestTransactionStatus: '03' }, { outcome: 'pending' }],
    [{ responseCode: '4043901' }, { outcome: 'not_found' }],
  ])('39: %j → %j', async (answer, outcome) => {
    bank.answers.set(STATUS, answer);
    expect(await rail.inquireTopup(request, soon())).toMatchObject(outcome);
  });

  test('401 is not repeated: there is no token to renew', async () => {
    bank.answers.set(TOPUP, { responseCode: '4013800' });
    expect(await rail.topUp(request, first())).toMatchObject({ outcome: 'unknown' });
    expect(bank.only().path).toBe(TOPUP);
  });
});
