import { randomUUID } from 'node:crypto';
import {
  type ChargeRequest,
  type Customer,
  type DirectDebitRail,
  openSnapDirectDebit,
  type RefundRequest,
} from '@gerbang/rails/direct-debit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, booksSchema, newExternalId, soon, startBench, within } from './harness.ts';

let bench: Bench;
let rail: DirectDebitRail;

beforeAll(async () => {
  bench = await startBench();
  const { url, ...credentials } = bench.credentials();
  rail = openSnapDirectDebit({ ...credentials, url: `${url}/direct-debit`, merchantId: 'gerbang' });
});

afterEach(() => bench.control('DELETE', 'rails/direct-debit'));

afterAll(async () => {
  await rail?.close();
  await bench?.stop();
});

const force = (behaviour: object) => bench.control('PUT', 'rails/direct-debit', behaviour);
const PHONE = '081234567890';

function bindRequest(phone = PHONE) {
  const state = randomUUID().replaceAll('-', '');
  const asked = { bankCode: 'BRI', customerId: 'c-1', phone, language: 'id', redirectUrl: 'http://pay/bind' };
  return { partnerReference: randomUUID(), state, ...asked };
}

const otpFor = (purpose: 'bind' | 'charge', partnerReference: string) => ({
  purpose,
  partnerReference,
  bankCode: 'BRI',
  phone: PHONE,
  accountToken: undefined,
});

async function giveOtp(purpose: 'bind' | 'charge', reference: string, otp = '123456'): Promise<string> {
  const sent = await rail.sendOtp(otpFor(purpose, reference), soon());
  if (sent.outcome !== 'sent') return expect.fail(sent.outcome);
  await rail.verifyOtp(otpFor(purpose, reference), { chargeToken: sent.chargeToken, otp }, soon());
  return sent.chargeToken;
}

/** A bound account, and the code that its tokens came by. */
async function bound(phone = PHONE): Promise<Customer & { reference: string; authCode: string; refreshToken: string }> {
  const request = bindRequest(phone);
  const { partnerReference: reference } = request;
  const authorized = await rail.authorize(request, soon());
  if (authorized.outcome !== 'authorized') return expect.fail(authorized.outcome);
  const { authCode } = authorized;
  await giveOtp('bind', reference);
  const link = await rail.bind(request, authCode, soon());
  const tokens = await rail.issueTokens({ authCode }, soon());
  if (link.outcome !== 'bound' || tokens.outcome !== 'issued') return expect.fail(`${link.outcome} ${tokens.outcome}`);
  const { accessToken, refreshToken } = tokens;
  return { reference, authCode, accessToken, refreshToken, accountToken: link.accountToken };
}

function chargeRequest(amountSen = '10000000'): ChargeRequest {
  const ids = { partnerReference: randomUUID(), externalId: newExternalId(), deviceId: 'd' };
  return { ...ids, amountSen, merchantReference: 'm-1', createdAtMs: Date.now() };
}

const send = (request: ChargeRequest, customer: Customer, signal = soon()) =>
  rail.charge(request, { customer, chargeToken: undefined }, { ...signal, firstSend: true });

describe('a binding', () => {
  test('takes a consent, an OTP and a code that is good once', async () => {
    const customer = await bound();
    expect(await rail.findAccount(customer, customer.reference, soon())).toMatchObject({
      outcome: 'found',
      accountNumber: expect.stringMatching(/^[0-9]{6}7890$/),
      accountName: 'TEST 7890',
    });
    expect(await rail.issueTokens({ authCode: customer.authCode }, soon())).toMatchObject({ outcome: 'failed' });
    const next = await rail.issueTokens({ refreshToken: customer.refreshToken }, soon());
    expect(next.outcome).toBe('issued');
    expect(await rail.issueTokens({ refreshToken: customer.refreshToken }, soon())).toMatchObject({ outcome: 'failed' });
    expect(await rail.findAccount(customer, customer.reference, soon())).toMatchObject({ outcome: 'gone' });
  });

  test('of an unknown phone, or without a right OTP, comes to nothing', async () => {
    expect(await rail.authorize(bindRequest('081200000404'), soon())).toMatchObject({ outcome: 'failed', code: '4041011' });
    const request = bindRequest();
    const authorized = await rail.authorize(request, soon());
    if (authorized.outcome !== 'authorized') return expect.fail(authorized.outcome);
    const chargeToken = await giveOtp('bind', request.partnerReference, '000000');
    expect((await rail.bind(request, authorized.authCode, soon())).outcome).toBe('unknown');
    const verify = (otp: string) => rail.verifyOtp(otpFor('bind', request.partnerReference), { chargeToken, otp }, soon());
    expect([(await verify('000000')).outcome, (await verify('000000')).outcome]).toEqual(['wrong', 'wrong']);
    expect(await verify('123456')).toMatchObject({ outcome: 'blocked', code: '4030411' });
  });

  test('that its customer has ended at the bank takes no charge, token or inquiry', async () => {
    const customer = await bound();
    const ended = await bench.control('POST', `direct-debit/${customer.reference}/unbind`, { notify: false });
    expect(ended.json).toEqual({ accepted: true });
    expect(await send(chargeRequest(), customer)).toMatchObject({ outcome: 'failed', code: '4045411' });
    expect(await rail.issueTokens({ refreshToken: customer.refreshToken }, soon())).toMatchObject({ outcome: 'failed' });
    expect(await rail.findAccount(customer, customer.reference, soon())).toMatchObject({ outcome: 'gone' });
    expect(await rail.unbind({ partnerReference: customer.reference, linkId: '' }, customer, soon())).toEqual({
      outcome: 'gone',
    });
  });
});

describe('a charge', () => {
  test('is taken once, shown by the status service, and given back in parts', async () => {
    const customer = await bound();
    const request = chargeRequest();
    expect(await rail.inquireCharge(request, soon())).toEqual({ outcome: 'not_found' });
    expect(await send(request, customer)).toEqual({ outcome: 'accepted' });
    expect(await send(request, customer)).toMatchObject({ outcome: 'unknown' });
    expect(await rail.inquireCharge(request, soon())).toMatchObject({ outcome: 'succeeded' });
    const refund = (amountSen: string, refundReference = randomUUID()): RefundRequest => ({
      originalReference: request.partnerReference,
      originalExternalId: request.externalId,
      refundReference,
      externalId: newExternalId(),
      amountSen,
      createdAtMs: Date.now(),
    });
    const first = refund('3000000');
    const give = (one: RefundRequest) => rail.refund(one, { ...soon(), firstSend: true });
    const given = await give(first);
    expect(given.outcome).toBe('succeeded');
    expect(await give({ ...first, externalId: newExternalId() })).toEqual(given);
    expect((await give({ ...first, amountSen: '1', externalId: newExternalId() })).outcome).toBe('unknown');
    expect(await give(refund('7000001'))).toMatchObject({ outcome: 'failed', code: '4035802' });
    expect(await rail.inquireRefund(first, soon())).toEqual(given);
    const { items } = booksSchema.parse((await bench.control('GET', 'rails/direct-debit/books')).json);
    expect(items.filter((item) => item.transaction_id === request.partnerReference)).toMatchObject([
      { direction: 'in', amount: { value: '100000.00' }, status: 'success' },
      { direction: 'out', amount: { value: '30000.00' }, reference_number: first.refundReference },
    ]);
  });

  test('above the limit needs an OTP of its own', async () => {
    const customer = await bound();
    const request = chargeRequest('50000001');
    expect(await send(request, customer)).toEqual({ outcome: 'otp' });
    await giveOtp('charge', request.partnerReference);
    expect(await send({ ...request, externalId: newExternalId() }, customer)).toEqual({ outcome: 'accepted' });
  });

  test.each([
    ['failed', { outcome: 'failed', code: '4035414' }, { outcome: 'failed' }],
    ['error', { outcome: 'unknown' }, { outcome: 'not_found' }],
    ['timeout', { outcome: 'unknown' }, { outcome: 'pending' }],
  ])('of a rail that is forced to %s', async (outcome, answer, state) => {
    const customer = await bound();
    const request = chargeRequest();
    await force({ outcome });
    expect(await send(request, customer, within(400))).toMatchObject(answer);
    await bench.control('DELETE', 'rails/direct-debit');
    expect(await rail.inquireCharge(request, soon())).toMatchObject(state);
    await bench.control('POST', 'clock/advance', { ms: 5_001 });
    if (outcome === 'timeout') expect(await rail.inquireCharge(request, soon())).toMatchObject({ outcome: 'succeeded' });
  });
});
