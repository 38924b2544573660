import { newUlid } from '@gerbang/core';
import { type EwalletTopupRail, type EwalletTopupRequest, openSnapEwalletTopup } from '@gerbang/rails/ewallet-topup';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type Bench,
  booksSchema,
  callBank,
  credentials,
  newExternalId,
  newRequest,
  soon,
  startBench,
  within,
} from './harness.ts';

let bench: Bench;
let rail: EwalletTopupRail;

beforeAll(async () => {
  bench = await startBench();
  rail = openSnapEwalletTopup(credentials(bench.url()));
});

afterEach(async () => {
  bench.chance.random = Math.random;
  await bench.control('DELETE', 'rails/ewallet');
});

afterAll(async () => {
  await rail?.close();
  await bench?.stop();
});

const first = { firstSend: true };

function newTopup(phoneNumber = '6281234567890', over: Partial<EwalletTopupRequest> = {}): EwalletTopupRequest {
  const partnerReference = `88${newUlid(Date.now())}`;
  return {
    partnerReference,
    externalId: newExternalId(),
    transactionId: partnerReference,
    merchantReference: `m-${partnerReference}`,
    amountSen: '5000000',
    channel: 'GOPAY',
    phoneNumber,
    notes: '',
    createdAtMs: Date.now(),
    ...over,
  };
}

const books = async () => booksSchema.parse((await bench.control('GET', 'rails/ewallet/books')).json).items;
const booked = async (reference: string) => (await books()).filter((item) => item.transaction_id === reference);
const send = (sent: EwalletTopupRequest, ms = 5_000) => rail.topUp(sent, { ...within(ms), ...first });
const status = (sent: EwalletTopupRequest) => rail.inquireTopup(sent, soon());

describe('customers', () => {
  test.each(['OVO', 'DANA', 'SHOPEEPAY', 'LINKAJA', 'GOPAY'] as const)('of %s are named', async (channel) => {
    const found = await rail.inquireWallet({ channel, phoneNumber: '6281234567890' }, soon());
    expect(found).toEqual({ outcome: 'found', name: 'TEST 7890' });
  });

  test('a good one is paid, and stands in the books of its rail only', async () => {
    const sent = newTopup();
    const result = await send(sent);
    expect(result).toEqual({ outcome: 'succeeded', railReference: expect.stringMatching(/^[0-9A-Z]{26}$/) });
    expect(await status(sent)).toEqual(result);
    expect(await booked(sent.partnerReference)).toEqual([
      {
        reference_number: sent.merchantReference,
        transaction_id: sent.partnerReference,
        direction: 'out',
        amount: { value: '50000.00', currency: 'IDR' },
        status: 'success',
      },
    ]);
    expect(await bench.books()).toEqual([]);
  });

  test('0404 is not found: neither to an inquiry nor to a top-up', async () => {
    const phoneNumber = '6281234560404';
    expect(await rail.inquireWallet({ channel: 'OVO', phoneNumber }, soon())).toEqual({ outcome: 'not_found' });
    const sent = newTopup(phoneNumber);
    expect(await send(sent)).toMatchObject({ outcome: 'failed', code: '4043811', cause: 'recipient_unknown' });
    expect(await status(sent)).toMatchObject({ outcome: 'failed', reason: 'Invalid Customer' });
  });

  test('0001 fails', async () => {
    const sent = newTopup('6281234560001');
    expect(await send(sent)).toMatchObject({ outcome: 'failed', code: '4033805', cause: 'other' });
    expect(await status(sent)).toMatchObject({ outcome: 'failed' });
    expect((await booked(sent.partnerReference)).map((item) => item.status)).toEqual(['failed']);
  });

  test('more than a wallet holds is over its limit', async () => {
    const most = newTopup(undefined, { amountSen: '2000000000' });
    expect(await send(most)).toMatchObject({ outcome: 'succeeded' });
    const more = newTopup(undefined, { amountSen: '2000000001' });
    expect(await send(more)).toMatchObject({ outcome: 'failed', code: '4033802', cause: 'recipient_limit' });
  });

  test.each([
    ['6281234560002', 'succeeded', 'success'],
    ['6281234560003', 'failed', 'failed'],
  ])('%s is not answered, stays pending for 5 s of business time, then has %s', async (phoneNumber, outcome, entry) => {
    const sent = newTopup(phoneNumber);
    expect(await send(sent, 300)).toEqual({ outcome: 'unknown', reason: 'no answer in time' });
    expect(await status(sent)).toEqual({ outcome: 'pending' });
    await bench.control('POST', 'clock/advance', { ms: 5_000 });
    expect(await status(sent)).toMatchObject({ outcome });
    expect((await booked(sent.partnerReference)).map((item) => item.status)).toEqual([entry]);
  });
});

describe('repetitions', () => {
  const body = (sent: EwalletTopupRequest, value = '50000.00') => ({
    partnerReferenceNo: sent.partnerReference,
    customerNumber: sent.phoneNumber,
    amount: { value, currency: 'IDR' },
    additionalInfo: { beneficiaryProvider: sent.channel },
  });
  const repeat = async (sent: EwalletTopupRequest, value?: string) =>
    (await callBank(bench.url(), '/v1.0/emoney/topup', body(sent, value))).json;

  test('the same external id is a conflict, and pays once', async () => {
    const sent = newTopup();
    await send(sent);
    expect(await send(sent)).toMatchObject({ outcome: 'unknown', reason: expect.stringContaining('4093800') });
    expect(await booked(sent.partnerReference)).toHaveLength(1);
  });

  test('the same content is answered as it came out', async () => {
    const sent = newTopup();
    const paid = await send(sent);
    expect(await repeat(sent)).toMatchObject({ responseCode: '2003800', referenceNo: Reflect.get(paid, 'railReference') });
    const refused = newTopup('6281234560001');
    await send(refused);
    expect(await repeat(refused)).toMatchObject({ responseCode: '4033805' });
    expect(await booked(sent.partnerReference)).toHaveLength(1);
  });

  test('other content, and a reference of another rail, are inconsistent', async () => {
    const sent = newTopup();
    await send(sent);
    expect(await repeat(sent, '50001.00')).toMatchObject({ responseCode: '4043818' });
    const transferred = newRequest();
    await bench.rail.transfer(transferred, soon());
    const stolen = newTopup(undefined, { partnerReference: transferred.partnerReference });
    expect(await repeat(stolen)).toMatchObject({ responseCode: '4043818' });
    expect(await status(stolen)).toEqual({ outcome: 'not_found' });
  });
});

describe('forced behaviour', () => {
  const force = (behaviour: object) => bench.control('PUT', 'rails/ewallet', behaviour);

  test('success: also for the magic numbers', async () => {
    await force({ outcome: 'success' });
    expect(await send(newTopup('6281234560001'))).toMatchObject({ outcome: 'succeeded' });
    expect(await rail.inquireWallet({ channel: 'OVO', phoneNumber: '6281234560404' }, soon())).toMatchObject({
      name: 'TEST 0404',
    });
  });

  test('failed: nobody is paid or found', async () => {
    await force({ outcome: 'failed' });
    expect(await send(newTopup())).toMatchObject({ outcome: 'failed' });
    expect(await rail.inquireWallet({ channel: 'OVO', phoneNumber: '6281234567890' }, soon())).toEqual({ outcome: 'not_found' });
  });

  test('timeout: paid without an answer', async () => {
    await force({ outcome: 'timeout' });
    const sent = newTopup();
    expect(await send(sent, 300)).toMatchObject({ outcome: 'unknown' });
    await bench.control('POST', 'clock/advance', { ms: 5_000 });
    expect(await status(sent)).toMatchObject({ outcome: 'succeeded' });
  });

  test('error: nothing is done; an error rate hits before or after the work', async () => {
    await force({ outcome: 'error' });
    const lost = newTopup();
    expect(await send(lost)).toMatchObject({ outcome: 'unknown' });
    await force({ error_rate: 1 });
    bench.chance.random = () => 0.9;
    const done = newTopup();
    expect(await send(done)).toMatchObject({ outcome: 'unknown' });
    await bench.control('DELETE', 'rails/ewallet');
    expect(await status(lost)).toEqual({ outcome: 'not_found' });
    expect(await status(done)).toMatchObject({ outcome: 'succeeded' });
  });
});
