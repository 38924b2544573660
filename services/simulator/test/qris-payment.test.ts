import { encodeQris, isRefusal, jakartaIso, newUlid, type Qris } from '@gerbang/core';
import type { QrisPaymentRail, QrisPaymentRequest } from '@gerbang/rails/qris-payment';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, booksSchema, callBank, newExternalId, openQrisPaymentTo, soon, startBench, within } from './harness.ts';

let bench: Bench;
let rail: QrisPaymentRail;

beforeAll(async () => {
  // No gateway listens there: what is paid to codes made here stays to be told.
  bench = await startBench({ SIMULATOR_RAILS_URL: 'http://127.0.0.1:9' });
  rail = openQrisPaymentTo(bench.url());
});
afterEach(() => bench.control('DELETE', 'rails/qris'));
afterAll(async () => {
  await rail?.close();
  await bench?.stop();
});

let count = 0;
function code(over: Partial<Qris> & { pan?: string } = {}): string {
  count++;
  const { pan = '936000091500000012', ...rest } = over;
  const payload = encodeQris({
    type: 'mpm-dynamic',
    accounts: [
      { tag: '26', globallyUniqueId: 'ID.CO.BANK.WWW', pan, others: [] },
      { tag: '51', globallyUniqueId: 'ID.CO.QRIS.WWW', merchantId: 'ID1020000000034', criteria: 'UMI', others: [] },
    ],
    merchantCategoryCode: '5812',
    amountSen: 25_000_00n,
    merchantName: 'Warung Bu Sri',
    merchantCity: 'Kab. Demak',
    additionalData: { referenceLabel: String(count), others: [] },
    others: [],
    ...rest,
  });
  if (isRefusal(payload)) throw new Error(payload.message);
  return payload;
}

function newPayment(over: Partial<QrisPaymentRequest> = {}): QrisPaymentRequest {
  const partnerReference = `66${newUlid(Date.now())}`;
  return {
    partnerReference,
    externalId: newExternalId(),
    amountSen: '2500000',
    tipSen: '0',
    merchantReference: `m-${partnerReference}`,
    createdAtMs: Date.now(),
    ...over,
  };
}

const first = () => ({ ...soon(), firstSend: true });
const decode = (payload: string, { partnerReference }: QrisPaymentRequest) =>
  rail.decode({ partnerReference, payload, amountSen: undefined }, soon());

/** Decodes and pays. */
async function pay(payload: string, over: Partial<QrisPaymentRequest> = {}, options = first()) {
  const request = newPayment(over);
  expect(await decode(payload, request)).toEqual({ outcome: 'found' });
  return { request, result: await rail.pay(request, options) };
}

/** A code that the acquirer has made for money in. */
async function ownCode(more: { tip?: object; expiresInMs?: number } = {}): Promise<string> {
  const { json } = await callBank(bench.url(), '/v1.0/qr/qr-mpm-generate', {
    partnerReferenceNo: `66${newUlid(Date.now())}`,
    amount: { value: '25000.00', currency: 'IDR' },
    merchantId: 'gerbang',
    validityPeriod: jakartaIso(Date.now() + (more.expiresInMs ?? 60_000)),
    additionalInfo: { merchantName: 'Toko', merchantCity: 'Jakarta', ...(more.tip !== undefined && { tip: more.tip }) },
  });
  return String(json.qrContent);
}

async function books() {
  return booksSchema.parse((await bench.control('GET', 'rails/qris/books')).json).items;
}

describe('a code of another acquirer', () => {
  test('is decoded and paid, and stays so', async () => {
    const { request, result } = await pay(code());
    if (result.outcome !== 'succeeded') throw new Error(result.outcome);
    expect(result.rrn).toBe(result.railReference.slice(-12));
    expect(await rail.query(request, soon())).toEqual(result);
    await bench.restart();
    expect(await rail.query(request, soon())).toEqual(result);
    expect((await books()).filter((item) => item.transaction_id === request.partnerReference)).toEqual([
      {
        reference_number: request.merchantReference,
        transaction_id: request.partnerReference,
        direction: 'out',
        amount: { value: '25000.00', currency: 'IDR' },
        status: 'success',
      },
    ]);
  });

  test('for one payment is paid once, a static one as often as customers come', async () => {
    const dynamic = code();
    const payments = await Promise.all(Array.from({ length: 4 }, () => pay(dynamic).catch(() => undefined)));
    expect(payments.filter((payment) => payment?.result.outcome === 'succeeded')).toHaveLength(1);
    const refused = { outcome: 'refused', problem: 'paid' };
    expect(await decode(dynamic, newPayment())).toMatchObject(refused);
    const shown = code({ type: 'mpm-static', amountSen: undefined });
    for (let i = 0; i < 2; i++) expect((await pay(shown)).result.outcome).toBe('succeeded');
  });

  test.each([
    ['0404', 'failed', { code: '4045011', cause: 'merchant_unknown' }],
    ['0001', 'failed', { code: '4035005' }],
  ] as const)('of a merchant PAN that ends in %s has %s', async (ending, outcome, more) => {
    const { request, result } = await pay(code({ pan: `93600009150000${ending}` }));
    expect(result).toMatchObject({ outcome, ...more });
    expect(await rail.query(request, soon())).toEqual(result);
  });

  test.each([
    ['0002', 'succeeded'],
    ['0003', 'failed'],
  ])('of a merchant PAN that ends in %s times out and has %s 5 s later', async (ending, outcome) => {
    const { request, result } = await pay(code({ pan: `93600009150000${ending}` }), {}, { ...within(1_500), firstSend: true });
    expect(result.outcome).toBe('unknown');
    expect((await rail.query(request, soon())).outcome).toBe('pending');
    await bench.control('POST', 'clock/advance', { ms: 5_000 });
    expect((await rail.query(request, soon())).outcome).toBe(outcome);
  });

  test.each([
    ['another amount', { amountSen: '2400000' }],
    ['a tip that is not asked for', { amountSen: '2500000', tipSen: '100000' }],
  ])('is not paid with %s, and an inquiry says so too', async (_, over) => {
    const { request, result } = await pay(code(), over);
    expect(result).toMatchObject({ outcome: 'failed', code: '4045013' });
    expect(await rail.query(request, soon())).toEqual(result);
  });

  test('is paid with the tip that it asks for', async () => {
    const tipped = code({ tip: { indicator: 'percentage', basisPoints: 400 } });
    expect((await pay(tipped, { amountSen: '2600000', tipSen: '100000' })).result.outcome).toBe('succeeded');
  });
});

describe('numbers', () => {
  test('a payment whose code was never decoded is not known', async () => {
    const request = newPayment();
    expect(await rail.pay(request, first())).toMatchObject({ outcome: 'unknown', reason: expect.stringContaining('4045001') });
    expect(await rail.query(request, soon())).toEqual({ outcome: 'not_found' });
  });

  test('a repetition pays nothing again', async () => {
    const { request } = await pay(code({ type: 'mpm-static' }));
    expect(await rail.pay(request, first())).toMatchObject({ outcome: 'unknown', reason: expect.stringContaining('4095000') });
    const renumbered = { ...request, externalId: newExternalId() };
    expect(await rail.pay(renumbered, first())).toMatchObject({ reason: expect.stringContaining('4095001') });
    expect((await books()).filter((item) => item.transaction_id === request.partnerReference)).toHaveLength(1);
  });

  test('a reference has one code', async () => {
    const request = newPayment();
    const payload = code();
    for (let i = 0; i < 2; i++) expect(await decode(payload, request)).toEqual({ outcome: 'found' });
    expect(await decode(code(), request)).toMatchObject({ outcome: 'refused', problem: 'used', code: '4044818' });
    expect(await rail.pay(request, first())).toMatchObject({ outcome: 'succeeded' });
    expect(await decode(payload, newPayment())).toMatchObject({ problem: 'paid' });
  });
});

describe('a code that was made here', () => {
  const receiptOf = async (payload: string) => {
    const label = payload.slice(-33, -8);
    return (await books()).filter((item) => item.direction === 'in' && item.transaction_id.endsWith(label));
  };

  test('is paid in money in too, once', async () => {
    const payload = await ownCode();
    const { request, result } = await pay(payload);
    expect(result.outcome).toBe('succeeded');
    expect(await receiptOf(payload)).toMatchObject([{ amount: { value: '25000.00' }, status: 'success' }]);
    expect(await decode(payload, newPayment())).toMatchObject({ outcome: 'refused', problem: 'paid' });
    expect((await bench.control('POST', 'qris/pay', { qr_data: payload })).json).toMatchObject({ accepted: false });
    expect((await rail.query(request, soon())).outcome).toBe('succeeded');
  });

  test('that a customer has paid in between is not paid again', async () => {
    const payload = await ownCode();
    const request = newPayment();
    await decode(payload, request);
    expect((await bench.control('POST', 'qris/pay', { qr_data: payload })).json).toMatchObject({ accepted: true });
    const result = await rail.pay(request, first());
    expect(result).toMatchObject({ outcome: 'failed', code: '4045014' });
    expect(await rail.query(request, soon())).toEqual(result);
  });

  test('that has expired is refused', async () => {
    const payload = await ownCode();
    const request = newPayment();
    await decode(payload, request);
    await bench.control('POST', 'clock/advance', { ms: 120_000 });
    expect(await decode(payload, newPayment())).toMatchObject({ outcome: 'refused', problem: 'expired' });
    expect(await rail.pay(request, first())).toMatchObject({ outcome: 'failed', code: '4035000' });
  });
});

describe('a forced outcome', () => {
  test.each([
    ['failed', 'failed'],
    ['error', 'unknown'],
  ])('%s is %s', async (outcome, expected) => {
    const request = newPayment();
    await decode(code(), request);
    await bench.control('PUT', 'rails/qris', { outcome });
    expect((await rail.pay(request, first())).outcome).toBe(expected);
  });

  test('timeout pays 5 s later, and money in is told then', async () => {
    const payload = await ownCode({ expiresInMs: 1_000_000 });
    await bench.control('PUT', 'rails/qris', { outcome: 'timeout' });
    const { request, result } = await pay(payload, {}, { ...within(1_500), firstSend: true });
    expect(result.outcome).toBe('unknown');
    await bench.control('POST', 'clock/advance', { ms: 5_000 });
    expect((await rail.query(request, soon())).outcome).toBe('succeeded');
  });
});

test.each(['nonsense', `${'0'.repeat(20)}`])('%s is no code', async (payload) => {
  expect(await decode(payload, newPayment())).toMatchObject({ outcome: 'refused', problem: 'invalid' });
});

describe('a payment that comes back', () => {
  const reverse = (payload: string) => bench.control('POST', 'qris/reverse', { qr_data: payload });

  test.each([
    ['of a code of another acquirer', async () => code()],
    ['of a code that was made here', () => ownCode({ expiresInMs: 1_000_000 })],
  ])('%s is returned', async (_, make) => {
    const payload = await make();
    const { request } = await pay(payload);
    expect((await reverse(payload)).json).toMatchObject({ accepted: true, reason: expect.stringContaining('not acknowledged') });
    expect(await rail.query(request, soon())).toMatchObject({ outcome: 'returned', reason: 'Refunded' });
  });

  test('was made before', async () => {
    expect((await reverse(code())).json).toMatchObject({ accepted: false });
  });
});

describe('a payment that is canceled', () => {
  /** One that the acquirer has not answered and makes 5 s later. */
  async function aPendingPayment(payload = code({ pan: '936000091500000002' })) {
    const { request, result } = await pay(payload, {}, { ...within(1_500), firstSend: true });
    expect(result.outcome).toBe('unknown');
    // The payer may have given up before the acquirer had read the request.
    await expect.poll(() => rail.query(request, soon())).toEqual({ outcome: 'pending' });
    return { payload, request };
  }

  test('while it is pending is not made, and its code can be paid by another', async () => {
    const { payload, request } = await aPendingPayment();
    for (let i = 0; i < 2; i++) expect(await rail.cancel(request, soon())).toEqual({ outcome: 'canceled' });
    await bench.control('POST', 'clock/advance', { ms: 5_000 });
    expect(await rail.query(request, soon())).toEqual({ outcome: 'canceled' });
    expect(await decode(payload, newPayment())).toEqual({ outcome: 'found' });
    expect(await rail.refund({ payment: request, refundReference: 'r' }, first())).toMatchObject({ code: '4047800' });
  });

  test('too late, was never ordered, or pays a code that was made here is not canceled', async () => {
    const { request } = await pay(code());
    expect(await rail.cancel(request, soon())).toMatchObject({ reason: expect.stringContaining('4047700') });
    expect((await rail.query(request, soon())).outcome).toBe('succeeded');
    expect(await rail.cancel(newPayment(), soon())).toEqual({ outcome: 'not_found' });
    const own = await ownCode({ expiresInMs: 1_000_000 });
    await bench.control('PUT', 'rails/qris', { outcome: 'timeout' });
    const { request: onUs } = await aPendingPayment(own);
    await bench.control('DELETE', 'rails/qris');
    expect(await rail.cancel(onUs, soon())).toMatchObject({ reason: expect.stringContaining('4057701') });
  });

  test('by a rail that gives no answer is canceled all the same', async () => {
    const { request } = await aPendingPayment();
    await bench.control('PUT', 'rails/qris', { outcome: 'timeout' });
    expect((await rail.cancel(request, within(300))).outcome).toBe('unknown');
    await bench.control('DELETE', 'rails/qris');
    await expect.poll(() => rail.query(request, soon())).toEqual({ outcome: 'canceled' });
  });
});

describe('a payment that is refunded', () => {
  const refund = (payment: QrisPaymentRequest, refundReference: string, options = first()) =>
    rail.refund({ payment, refundReference }, options);

  test('is returned, once, under the refund’s own reference', async () => {
    const { request } = await pay(code());
    for (let i = 0; i < 2; i++) expect(await refund(request, `R1-${request.partnerReference}`)).toEqual({ outcome: 'refunded' });
    expect(await refund(request, `R2-${request.partnerReference}`)).toMatchObject({ outcome: 'refused', code: '4047813' });
    expect(await rail.query(request, soon())).toMatchObject({ outcome: 'returned' });
    const booked = (await books()).filter((item) => item.transaction_id === request.partnerReference);
    expect(booked).toMatchObject([{ status: 'reversed' }]);
  });

  test('of a code that was made here is taken from its merchant', async () => {
    const payload = await ownCode({ expiresInMs: 1_000_000 });
    const { request } = await pay(payload);
    expect(await refund(request, `R1-${request.partnerReference}`)).toEqual({ outcome: 'refunded' });
    const given = (await books()).filter((item) => item.reference_number.startsWith('reversal-'));
    expect(given.filter((item) => item.reference_number.includes(payload.slice(-33, -8)))).toMatchObject([
      { direction: 'out', amount: { value: '25000.00' }, status: 'success' },
    ]);
  });

  test('in part, more than it was, while it is open, or by a rail that refuses, is not', async () => {
    const { request } = await pay(code());
    for (const [amountSen, code] of [
      ['2400000', '4037815'],
      ['2600000', '4047813'],
    ] as const) {
      expect(await refund({ ...request, amountSen }, 'R')).toMatchObject({ outcome: 'refused', code });
    }
    expect(await refund(newPayment(), 'R')).toMatchObject({ outcome: 'refused', code: '4047801' });
    await bench.control('PUT', 'rails/qris', { outcome: 'failed' });
    expect(await refund(request, 'R')).toMatchObject({ outcome: 'refused', code: '4037805' });
    await bench.control('PUT', 'rails/qris', { outcome: 'error' });
    expect((await refund(request, 'R')).outcome).toBe('unknown');
    await bench.control('DELETE', 'rails/qris');
    expect((await rail.query(request, soon())).outcome).toBe('succeeded');
  });
});
