import { newUlid } from '@gerbang/core';
import { type AuthorisationRequest, CardData, type CardRail, openIso8583CardRail } from '@gerbang/rails/card';
import { createLogger } from '@gerbang/runtime';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Bench, booksSchema, soon, startBench, within } from './harness.ts';

let bench: Bench;
let rail: CardRail;

beforeAll(async () => {
  bench = await startBench({ SIMULATOR_ISO8583_PORT: '0' });
  rail = openIso8583CardRail({
    host: '127.0.0.1',
    port: bench.iso8583Port(),
    tls: undefined,
    log: createLogger({ service: 'test', level: 'silent' }),
    terminalId: 'GERBANG1',
    merchantId: 'GERBANG00000001',
    acquirerId: '',
    city: 'JAKARTA',
  });
});

afterEach(() => bench.control('DELETE', 'rails/card'));

afterAll(async () => {
  await rail?.close();
  await bench?.stop();
});

const PLAIN = '4411111111111118';
const cardOf = (number: string, cvv: string | undefined = '123') =>
  new CardData({ number, expiry: '12/39', cvv, holderName: 'BUDI' });
const newRequest = (over: Partial<AuthorisationRequest> = {}): AuthorisationRequest => ({
  reference: `99${newUlid(Date.now())}`,
  amountSen: '25000000',
  installmentMonths: 1,
  merchantReference: '',
  merchantName: 'Toko',
  returnUrl: 'https://pay.example/card/1',
  ...over,
});

async function authorised(over: Partial<AuthorisationRequest> = {}) {
  const request = newRequest(over);
  const said = await rail.authorise(request, cardOf(PLAIN), soon());
  return said.outcome === 'authorised' ? { ...request, approvalCode: said.approvalCode } : expect.fail(said.outcome);
}

async function booksOf(reference: string) {
  const { items } = booksSchema.parse((await bench.control('GET', 'rails/card/books')).json);
  return items.filter(({ transaction_id }) => transaction_id === reference).map(({ direction, status }) => [direction, status]);
}

test('the test cards of the contract; one that wants 3DS is declined', async () => {
  const outcomeOf = async (number: string) => rail.authorise(newRequest(), cardOf(number), soon());
  expect(await outcomeOf('4472429869996670')).toEqual({ outcome: 'failed', code: '51', reason: 'Insufficient funds' });
  expect(await outcomeOf('4811111111111114')).toMatchObject({ outcome: 'failed', code: '1A' });
  expect(await outcomeOf('4911111111111113')).toMatchObject({ outcome: 'failed', code: '1A' });
  expect(await outcomeOf('5555555555554444')).toMatchObject({
    outcome: 'authorised',
    networkTransactionId: expect.stringMatching(/^[0-9]{15}$/),
  });
});

test('a slow issuer is waited for, and others are not kept waiting', async () => {
  const request = newRequest();
  const slow = rail.authorise(request, cardOf('4024007176265022'), within(20_000));
  await authorised();
  expect(await booksOf(request.reference)).toEqual([['in', 'pending']]);
  await bench.control('POST', 'clock/advance', { ms: 5_000 });
  expect(await slow).toMatchObject({ outcome: 'authorised' });
});

test('capture, refund and void are done once, and only where they can be', async () => {
  const payment = await authorised();
  const refund = { ...payment, refundReference: `${payment.reference}R1` };
  expect(await rail.refund(refund, soon())).toMatchObject({ outcome: 'failed', code: '12' });
  expect(await rail.capture({ ...payment, amountSen: '1' }, soon())).toMatchObject({ outcome: 'failed' });
  expect(await rail.capture({ ...payment, approvalCode: 'other' }, soon())).toMatchObject({ outcome: 'failed', code: '25' });
  expect(await rail.capture(payment, soon())).toEqual({ outcome: 'done' });
  expect(await rail.capture({ ...payment, tries: 1 }, soon())).toEqual({ outcome: 'done' });
  expect(await rail.void(payment, soon())).toMatchObject({ outcome: 'failed' });
  expect(await rail.refund(refund, soon())).toEqual({ outcome: 'done' });
  expect(await rail.refund({ ...refund, tries: 1 }, soon())).toEqual({ outcome: 'done' });
  expect(await rail.refund({ ...refund, refundReference: 'r-2' }, soon())).toMatchObject({ outcome: 'failed' });
  expect(await booksOf(payment.reference)).toEqual([
    ['in', 'success'],
    ['out', 'success'],
  ]);
  const other = await authorised();
  expect(await rail.void(other, soon())).toEqual({ outcome: 'done' });
  expect(await rail.void({ ...other, tries: 1 }, soon())).toEqual({ outcome: 'done' });
  expect(await rail.capture(other, soon())).toMatchObject({ outcome: 'failed' });
});

test('what is not answered is taken back, also the second time; what is not known is not found', async () => {
  const request = newRequest();
  await bench.control('PUT', 'rails/card', { outcome: 'timeout' });
  expect(await rail.authorise(request, cardOf(PLAIN), within(300))).toMatchObject({ outcome: 'unknown' });
  expect(await booksOf(request.reference)).toEqual([['in', 'pending']]);
  expect(await rail.resolve(request, within(300))).toMatchObject({ outcome: 'unknown' });
  await bench.control('DELETE', 'rails/card');
  expect(await rail.resolve({ ...request, tries: 1 }, soon())).toEqual({ outcome: 'voided' });
  expect(await rail.resolve({ ...request, tries: 2 }, soon())).toEqual({ outcome: 'voided' });
  expect(await booksOf(request.reference)).toEqual([['in', 'canceled']]);
  expect(await rail.resolve(newRequest(), soon())).toEqual({ outcome: 'not_found' });
});

test('a reference is authorised once; an error leaves it open', async () => {
  const payment = await authorised();
  expect(await rail.authorise(newRequest({ reference: payment.reference }), cardOf(PLAIN), soon())).toMatchObject({
    outcome: 'unknown',
    reason: expect.stringContaining('94'),
  });
  await bench.control('PUT', 'rails/card', { outcome: 'error' });
  expect(await rail.capture(payment, soon())).toMatchObject({ outcome: 'unknown', reason: expect.stringContaining('96') });
});

test('a charge without the customer asks no customer, and keeps the id of the network', async () => {
  const request = newRequest({ initiated: 'merchant', networkTransactionId: '000123456789012' });
  expect(await rail.authorise(request, cardOf('4811111111111114', undefined), soon())).toMatchObject({
    outcome: 'authorised',
    networkTransactionId: '000123456789012',
  });
});
