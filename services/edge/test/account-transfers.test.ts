import { create } from '@bufbuild/protobuf';
import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { AccountTransferSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Edge, newReference, startEdge } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

const path = '/api/v1.0/account-transfers';

let edge: Edge;
let merchant: FakeMerchant;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.close());
beforeEach(() => {
  merchant = edge.merchant();
  edge.fakes.accountTransfer = {};
});
const get = (to: string) => edge.send('GET', to, { headers: edge.signedIn(merchant) });
const lastRequest = () => Object(edge.fakes.calls.findLast(({ method }) => /AccountTransfer/.test(method))?.request);
const orderOf = (over: object = {}) => ({
  source_account_id: merchant.accountIds[0],
  destination_account_id: merchant.accountIds[1],
  amount: 12345.67,
  reference_number: newReference(),
  note: 'stok',
  ...over,
});

const transfer = create(AccountTransferSchema, {
  transactionId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  referenceNumber: 'r-1',
  sourceAccountId: '01ARZ3NDEKTSV4RRFFQ69G5FAA',
  destinationAccountId: '01ARZ3NDEKTSV4RRFFQ69G5FAB',
  status: TransferStatus.SUCCESS,
  amountSen: 1_234_567n,
  balanceAfterSen: 5n,
  possibleDuplicateOf: 'r-0',
  createdAtMs: 1_800_000_000_000n,
  processedAtMs: 1_800_000_000_001n,
});
const idr = (value: string) => ({ value, currency: 'IDR' });
const shown = {
  transaction_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  reference_number: 'r-1',
  account_id: '01ARZ3NDEKTSV4RRFFQ69G5FAA',
  source_account_id: '01ARZ3NDEKTSV4RRFFQ69G5FAA',
  destination_account_id: '01ARZ3NDEKTSV4RRFFQ69G5FAB',
  transaction_status: { code: '00', desc: 'Success' },
  gross_amount: idr('12345.67'),
  fee: idr('0.00'),
  net_amount: idr('12345.67'),
  balance_after: idr('0.05'),
  possible_duplicate_of: 'r-0',
  post_timestamp: '2027-01-15T08:00:00.000Z',
  processed_timestamp: '2027-01-15T08:00:00.001Z',
  note: null,
};

describe('create', () => {
  test('answers 200 with the transfer; the key goes along', async () => {
    let replayed = false;
    edge.fakes.accountTransfer.createAccountTransfer = async () => ({ accountTransfer: transfer, replayed });
    const order = orderOf();
    const headers = { 'idempotency-key': 'k' };
    const made = await edge.sendSigned(merchant, 'POST', path, order, { headers });
    expect([made.http, made.json]).toEqual([200, { status: 200, success: true, data: shown }]);
    expect(lastRequest()).toMatchObject({
      merchantId: merchant.merchantId,
      sourceAccountId: merchant.accountIds[0],
      destinationAccountId: merchant.accountIds[1],
      amountSen: 1_234_567n,
      referenceNumber: order.reference_number,
      note: 'stok',
      idempotencyKey: { key: 'k', route: `POST ${path}` },
    });
    replayed = true;
    const again = await edge.sendSigned(merchant, 'POST', path, order, { headers });
    expect([again.http, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  });

  test.each([
    ['source_account_id', { source_account_id: undefined }],
    ['destination_account_id', { destination_account_id: 5 }],
    ['amount', { amount: { value: '1', currency: 'IDR' } }],
    ['amount', { amount: '1' }],
    ['amount', { amount: 0 }],
    ['amount', { amount: 1.001 }],
    ['amount', { amount: 1e12 }],
    ['reference_number', { reference_number: '' }],
    ['reference_number', { reference_number: 'é' }],
    ['note', { note: 'x'.repeat(101) }],
  ])('%s: %j is wrong', async (field, over) => {
    const before = edge.fakes.calls.length;
    const reply = await edge.sendSigned(merchant, 'POST', path, orderOf(over));
    expect([reply.http, reply.json]).toMatchObject([422, { error: { errors: { [field]: [expect.any(String)] } } }]);
    expect(edge.fakes.calls.slice(before).map(({ method }) => method)).not.toContain('createAccountTransfer');
  });

  test('the same account twice is an error of the destination', async () => {
    const same = { destination_account_id: merchant.accountIds[0] };
    const reply = await edge.sendSigned(merchant, 'POST', path, orderOf(same));
    expect(reply.json).toMatchObject({ status: 422, error: { errors: { destination_account_id: [expect.any(String)] } } });
  });

  test.each([
    ['insufficient_balance', 400],
    ['duplicate_reference', 409],
    ['account_of_other_merchant', 403],
    ['account_not_found', 404],
    ['frozen', 403],
    ['product_not_allowed', 403],
    ['account_limit', 400],
    ['vendor_inactive', 503],
  ] as const)('%s is %i', async (code, http) => {
    edge.fakes.accountTransfer.createAccountTransfer = async () => {
      throw new RefusalError(refuse(code));
    };
    const reply = await edge.sendSigned(merchant, 'POST', path, orderOf());
    expect([reply.http, reply.json]).toMatchObject([http, { status: http, success: false, error: { code: http } }]);
  });

  /** Contract §2, order of checks. */
  test('is signed: the signature comes before the body, unparsable JSON before both, the merchant before all', async () => {
    const wrong = { amount: -1 };
    expect((await edge.send('POST', path, { body: wrong })).http).toBe(422);
    expect((await edge.send('POST', path, { headers: { 'x-partner-id': merchant.partnerId }, body: wrong })).http).toBe(401);
    const headers = edge.signedIn(merchant);
    expect((await edge.send('POST', path, { headers, raw: '{"a":' })).http).toBe(400);
    const unsigned = await edge.send('POST', path, { headers, body: wrong });
    expect([unsigned.http, unsigned.json]).toMatchObject([401, { error: { code: 401 } }]);
    const { http } = await edge.sendSigned(merchant, 'POST', path, orderOf(), { sent: orderOf({ amount: 1 }) });
    expect(http).toBe(401);
    expect((await edge.sendSigned(merchant, 'POST', path, wrong)).http).toBe(422);
  });
});

test('list, with filters and cursor', async () => {
  edge.fakes.accountTransfer.listAccountTransfers = async ({ cursor }) => {
    if (cursor === 'garbage') throw new RefusalError(refuseField('cursor', 'is not a cursor of this list'));
    return { accountTransfers: [transfer], nextCursor: 'n' };
  };
  const query = `limit=5&cursor=c&status=00&account_id=A&reference_number=r-1&to=2026-11-21T00:00:00Z`;
  expect((await get(`${path}?${query}`)).json).toEqual({
    status: 200,
    success: true,
    data: { items: [shown], next_cursor: 'n' },
  });
  expect(lastRequest()).toMatchObject({
    merchantId: merchant.merchantId,
    accountId: 'A',
    limit: 5,
    cursor: 'c',
    status: TransferStatus.SUCCESS,
    referenceNumber: 'r-1',
    toMs: BigInt(Date.parse('2026-11-21T00:00:00Z')),
  });
  await get(path);
  expect(lastRequest()).toMatchObject({ accountId: '', limit: 20, status: TransferStatus.UNSPECIFIED });
  for (const wrong of ['cursor=garbage', 'status=99', 'limit=0']) expect((await get(`${path}?${wrong}`)).http).toBe(422);
});

test('show, by transaction id', async () => {
  edge.fakes.accountTransfer.getAccountTransfer = async ({ merchantId, transactionId }) => {
    if (merchantId !== merchant.merchantId || transactionId !== 't-1') throw new RefusalError(refuse('transaction_not_found'));
    return { accountTransfer: transfer };
  };
  expect((await get(`${path}/t-1`)).json).toEqual({ status: 200, success: true, data: shown });
  expect((await get(`${path}/t-2`)).http).toBe(404);
  expect((await edge.send('PUT', `${path}/t-1`)).headers.get('allow')).toBe('GET');
});
