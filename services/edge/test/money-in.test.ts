import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { AmountType, PayableStatus, VirtualAccountKind } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Edge, startEdge } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

let edge: Edge;
let merchant: FakeMerchant;

beforeAll(async () => {
  edge = await startEdge({ RATE_LIMIT_RETAIL_PER_MINUTE: '3' });
  merchant = edge.merchant();
});
afterAll(() => edge.close());

const account = () => merchant.accountIds[0] ?? '';
const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  edge.send(method, path, { headers: { ...edge.signedIn(merchant), ...headers }, body });
const va = (over: object = {}) => ({
  bank_code: 'BCA',
  kind: 'temporary',
  name: 'Budi',
  merchant_reff_no: 'order-1',
  amount: 50_000,
  max_usage: 1,
  expired_at: '1900000000000',
  ...over,
});
const answered = {
  id: '01J00000000000000000000000',
  accountId: '01ARZ3NDEKTSV4RRFFQ69G5FAA',
  number: '7001400000000001',
  bankCode: 'BCA',
  kind: VirtualAccountKind.TEMPORARY,
  amountType: AmountType.CLOSED,
  amountSen: 5_000_000n,
  status: PayableStatus.ACTIVE,
};

describe('virtual accounts', () => {
  test('are created from what the body says, and shown as the specification has them', async () => {
    edge.fakes.virtualAccounts.createVirtualAccount = async () => ({ virtualAccount: answered });
    const reply = await send('POST', `/api/v1.0/virtual-accounts/${account()}`, va());
    expect(reply.json).toMatchObject({
      status: 200,
      data: {
        number: '7001400000000001',
        bank: { short_name: 'BCA', number: '014', swift_code: 'CENAIDJA' },
        amount: { value: '50000.00', currency: 'IDR' },
        status: 'active',
        expired_at: null,
      },
    });
    expect(edge.fakes.calls.at(-1)?.request).toMatchObject({
      amountSen: 5_000_000n,
      expiredAtMs: 1_900_000_000_000n,
      maxUsage: 1,
    });
  });

  test.each([
    [{}, ['bank_code', 'kind', 'name', 'merchant_reff_no']],
    [va({ expired_at: undefined, max_usage: null }), ['expired_at', 'max_usage']],
    [va({ expired_at: '123' }), ['expired_at']],
    [va({ max_usage: 256 }), ['max_usage']],
    [va({ max_usage: 1.5 }), ['max_usage']],
    [va({ amount: undefined }), ['amount']],
    [va({ amount: '50000' }), ['amount']],
    [va({ amount_type: 'open', amount: undefined }), ['min_amount', 'max_amount']],
    [va({ amount_type: 'open', min_amount: 20_000, max_amount: 10_000 }), ['max_amount']],
    [va({ name: 'x'.repeat(201) }), ['name']],
    [va({ bank_code: 'JENIUS' }), ['bank_code']],
  ])('%o is refused', async (body, fields) => {
    const { json } = await send('POST', `/api/v1.0/virtual-accounts/${account()}`, body);
    expect(json).toMatchObject({
      status: 422,
      data: { errors: Object.fromEntries(fields.map((field) => [field, [expect.any(String)]])) },
    });
  });

  test('an Idempotency-Key is for the path, with its account', async () => {
    edge.fakes.virtualAccounts.createVirtualAccount = async () => ({ virtualAccount: answered, replayed: true });
    const routes: unknown[] = [];
    for (const accountId of merchant.accountIds) {
      const reply = await send('POST', `/api/v1.0/virtual-accounts/${accountId}`, va(), { 'idempotency-key': 'k' });
      expect(reply.headers.get('idempotency-replayed')).toBe('true');
      routes.push(Reflect.get(Object(edge.fakes.calls.at(-1)?.request).idempotencyKey, 'route'));
    }
    expect(routes).toEqual(merchant.accountIds.map((id) => `POST /api/v1.0/virtual-accounts/${id}`));
  });

  test('lists are filtered by the product’s own words', async () => {
    edge.fakes.virtualAccounts.listVirtualAccounts = async () => ({ virtualAccounts: [answered], nextCursor: 'c' });
    const { json } = await send('GET', `/api/v1.0/virtual-accounts/${account()}?status=inactive&limit=5`);
    expect(json).toMatchObject({ data: { items: [{ id: answered.id }], next_cursor: 'c' } });
    expect(edge.fakes.calls.at(-1)?.request).toMatchObject({
      status: PayableStatus.INACTIVE,
      query: { limit: 5, accountId: account() },
    });
    expect((await send('GET', `/api/v1.0/virtual-accounts/${account()}?status=gone`)).http).toBe(422);
  });
});

describe('QRIS as a picture', () => {
  const transaction = {
    id: 7n,
    accountId: '01ARZ3NDEKTSV4RRFFQ69G5FAA',
    reffNo: '6601ARZ3NDEKTSV4RRFFQ69G5FAQ',
    status: PayableStatus.ACTIVE,
    qrData: '00020101021226QRIS',
    amountSen: 2_500_000n,
  };
  const show = (path: string) => send('GET', `/api/v1.0/qris-dynamic/${account()}/${path}`);

  test.each([
    ['svg', 'image/svg+xml', /^<svg .*<\/svg>$/s],
    ['png', 'image/png', /^.PNG\r\n/],
  ])('format=%s answers %s', async (format, type, beginning) => {
    edge.fakes.qris.getQris = async () => ({ qrisTransaction: transaction });
    const url = `${edge.url}/api/v1.0/qris-dynamic/${account()}/show/7?format=${format}`;
    const reply = await fetch(url, { headers: edge.signedIn(merchant) });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, expect.stringContaining(type)]);
    expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
    expect(await reply.text()).toMatch(beginning);
  });

  test('is a picture on show alone, and JSON without a format', async () => {
    edge.fakes.qris.getQris = async () => ({ qrisTransaction: transaction });
    for (const path of ['show/7', 'inquiry-status/7', 'inquiry-status/7?format=png'])
      expect((await show(path)).json).toMatchObject({ status: 200, data: { id: 7, qr_data: transaction.qrData } });
  });

  test.each(['jpeg', '', 'SVG', 'svg&format=png'])('format=%s is an error of format, and nobody is asked', async (format) => {
    const asked = edge.fakes.calls.length;
    expect((await show(`show/7?format=${format}`)).json).toMatchObject({
      status: 422,
      data: { errors: { format: ['must be svg or png'] } },
    });
    expect(edge.fakes.calls).toHaveLength(asked);
  });

  test.each([
    [404, 'transaction_not_found' as const],
    [403, 'frozen' as const],
  ])('is the %i in JSON that the code itself is', async (status, refusal) => {
    edge.fakes.qris.getQris = async () => {
      throw new RefusalError(refuse(refusal));
    };
    expect((await show('show/7?format=png')).json).toMatchObject({ status, success: false });
  });
});

test('retail codes: so many a minute, and no list', async () => {
  edge.fakes.retail.createRetailTransaction = async () => {
    throw new RefusalError(refuseField('amount', 'must be at least 15000.00'));
  };
  const body = { retail_code: 'ALFAMART', amount: 14_999, customer_name: 'Siti', expired_at: 1_900_000_000_000 };
  const replies = [];
  for (let i = 0; i < 4; i++) replies.push(await send('POST', `/api/v1.0/retail-transactions/${account()}`, body));
  expect(replies.map(({ http }) => http)).toEqual([422, 422, 422, 429]);
  expect((await send('GET', `/api/v1.0/retail-transactions/${account()}`)).json).toMatchObject({
    status: 405,
    error: { code: 4059901 },
  });
});

test('payment methods are a catalogue, and money-in says which of them can be used', async () => {
  const codes = ['VA_BCA', 'QRIS'];
  edge.fakes.paymentLinks.listPayableMethods = async () => ({ codes });
  const { json } = await send('GET', '/api/v1.0/payment-link-manage/payment-methods');
  const { payment_methods: methods } = Object(json.data);
  expect(json).toMatchObject({ data: { available_codes: codes } });
  expect(methods.map(({ code }: { code: string }) => code)).toEqual(
    expect.arrayContaining(['VA_BRI', 'RETAIL_ALFAMART', 'CARD']),
  );
});
