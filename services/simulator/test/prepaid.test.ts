import { newUlid } from '@gerbang/core';
import { openSnapPrepaid, type PrepaidRail, type PrepaidRequest } from '@gerbang/rails/prepaid';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, booksSchema, callBank, soon, startBench, within } from './harness.ts';

let bench: Bench;
let rail: PrepaidRail;
beforeAll(async () => {
  bench = await startBench();
  rail = openSnapPrepaid(bench.credentials());
});
afterAll(async () => {
  await rail.close();
  await bench.stop();
});
afterEach(() => bench.control('DELETE', 'rails/biller'));

const newRequest = (customerNumber = '12345678901', over: Partial<PrepaidRequest> = {}): PrepaidRequest => ({
  partnerReference: newUlid(Date.now()),
  railCode: 'PLN-50',
  customerNumber,
  transactionId: newUlid(Date.now()),
  amountSen: '5000000',
  givesToken: true,
  ...over,
});
const buy = (request: PrepaidRequest, firstSend = true) => rail.purchase(request, { ...soon(), firstSend });
const ask = (customerNumber: string) => rail.inquire(newRequest(customerNumber), soon());

test.each([
  ['12345678901', { outcome: 'found', customerName: 'TEST 8901' }],
  ['12345670404', { outcome: 'customer_unknown' }],
  ['12345670403', { outcome: 'customer_blocked' }],
  ['12345670503', { outcome: 'unavailable', reason: '4049502 Invalid Routing' }],
])('an inquiry of %s is %j', async (customerNumber, expected) => {
  expect(await ask(customerNumber)).toEqual(expected);
});

test('a purchase gives one token, however often and whenever it is asked for, also after a restart', async () => {
  const request = newRequest();
  const first = await buy(request);
  expect(first).toMatchObject({ outcome: 'succeeded', token: expect.stringMatching(/^[0-9]{20}$/) });
  expect(await buy(request, false)).toEqual(first);
  await bench.restart();
  expect(await buy(request, false)).toEqual(first);
  expect(await buy(newRequest())).not.toMatchObject({ token: first.outcome === 'succeeded' && first.token });
  const { json } = await bench.control('GET', 'rails/biller/books');
  expect(booksSchema.parse(json).items.filter((item) => item.reference_number === request.partnerReference)).toEqual([
    {
      reference_number: request.partnerReference,
      transaction_id: request.transactionId,
      direction: 'out',
      amount: { value: '50000.00', currency: 'IDR' },
      status: 'success',
    },
  ]);
});

describe.each([
  ['0002', 'succeeded'],
  ['0003', 'failed'],
])('a customer that ends in %s', (ending, end) => {
  test(`is silent, then pending, and has ${end} 5 s later`, async () => {
    const request = newRequest(`1234567${ending}`);
    expect((await rail.purchase(request, { ...within(300), firstSend: true })).outcome).toBe('unknown');
    expect((await buy(request, false)).outcome).toBe('pending');
    await bench.control('POST', 'clock/advance', { ms: 5_000 });
    expect((await buy(request, false)).outcome).toBe(end);
  });
});

test.each([
  ['12345670001', '4039605'],
  ['12345670404', '4049611'],
  ['12345670403', '4039618'],
])('a purchase for %s fails with %s, and so does its repetition', async (customerNumber, code) => {
  const request = newRequest(customerNumber);
  expect(await buy(request)).toMatchObject({ outcome: 'failed', code });
  expect(await buy(request, false)).toMatchObject({ outcome: 'failed', code });
});

test('numbers that end in 0409 all get the same token', async () => {
  const [first, second] = [await buy(newRequest('12345670409')), await buy(newRequest('12345670409'))];
  expect(first.outcome === 'succeeded' && first.token).toBe(second.outcome === 'succeeded' && second.token);
});

test('other content under a reference is refused', async () => {
  const request = newRequest();
  await buy(request);
  expect(await buy({ ...request, amountSen: '2000000' })).toEqual({
    outcome: 'unknown',
    reason: '4049618 Inconsistent Request',
    needsOperator: true,
  });
});

test('a forced outcome decides new purchases and inquiries, and changes none that is booked', async () => {
  const booked = newRequest();
  await buy(booked);
  await bench.control('PUT', 'rails/biller', { outcome: 'failed' });
  expect((await buy(newRequest())).outcome).toBe('failed');
  expect((await ask('12345678901')).outcome).toBe('unknown');
  expect((await buy(booked, false)).outcome).toBe('succeeded');
  await bench.control('PUT', 'rails/biller', { outcome: 'error' });
  expect(await buy(newRequest())).toEqual({ outcome: 'unknown', reason: '5009600 General Error' });
  await bench.control('PUT', 'rails/biller', { outcome: 'timeout' });
  expect((await rail.inquire(newRequest(), within(200))).outcome).toBe('unknown');
});

test('a malformed order is refused by the field', async () => {
  const bad = await callBank(bench.url(), '/v1.0/prepaid/purchase', {
    partnerReferenceNo: 'r',
    productCode: 'p',
    customerNo: 'x',
  });
  expect([bad.status, bad.json.responseCode]).toEqual([400, '4009601']);
});
