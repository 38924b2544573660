import { create } from '@bufbuild/protobuf';
import { type RefusalCode, RefusalError, refuse, refuseField } from '@gerbang/core';
import { CardlessWithdrawalStatus } from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import { type Transfer, TransferSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Edge, newReference, startEdge } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

const CODE = '123456789012';

let edge: Edge;
let merchant: FakeMerchant;
let path: string;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.close());
beforeEach(() => {
  merchant = edge.merchant();
  path = `/api/v1.0/cardless-withdrawals/${merchant.accountIds[0]}`;
  edge.fakes.cardlessWithdrawal = {};
});

const get = (url: string) => edge.send('GET', url, { headers: edge.signedIn(merchant) });
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  edge.send('POST', url, { headers: { ...edge.signedIn(merchant), ...headers }, body });
const lastRequest = () => edge.fakes.calls.at(-1)?.request;
const orderOf = (over: object = {}) => ({
  reference_number: newReference(),
  bank_code: 'BCA',
  phone_number: '081234567890',
  amount: 100_000,
  ...over,
});

function withdrawalOf(status: TransferStatus, over: { expired?: boolean; beneficiaryUnknown?: boolean } = {}): Transfer {
  const { expired = false, ...fields } = over;
  return create(TransferSchema, {
    transactionId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    referenceNumber: 'r-1',
    accountId: '01ARZ3NDEKTSV4RRFFQ69G5FAA',
    status,
    amountSen: 10_000_000n,
    feeSen: 250_000n,
    balanceAfterSen: 1_000_000n,
    createdAtMs: 1_800_000_000_000n,
    failedCode: '4039105',
    failedReason: 'The bank says no',
    ...fields,
    cardlessWithdrawal: {
      bankCode: 'BCA',
      bankName: 'Bank Central Asia',
      phoneNumber: '081234567890',
      expiredAtMs: 1_800_007_200_000n,
      expired,
    },
  });
}

const { SUCCESS, PAYING, PENDING, CANCELED, FAILED, REFUNDED } = TransferStatus;

describe('create', () => {
  test('orders what the body says and answers 201 with the code, replayed or not', async () => {
    let replayed = false;
    edge.fakes.cardlessWithdrawal.createCardlessWithdrawal = async () => ({
      transfer: withdrawalOf(PENDING),
      withdrawalCode: CODE,
      replayed,
    });
    const order = orderOf({ expired_at: '1800007200000' });
    const made = await post(path, order, { 'idempotency-key': 'k' });
    expect([made.http, made.json]).toEqual([
      201,
      {
        status: 201,
        success: true,
        data: {
          transaction_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
          reference_number: 'r-1',
          account_id: '01ARZ3NDEKTSV4RRFFQ69G5FAA',
          transaction_status: { code: '03', desc: 'Pending' },
          gross_amount: { value: '102500.00', currency: 'IDR' },
          fee: { value: '2500.00', currency: 'IDR' },
          net_amount: { value: '100000.00', currency: 'IDR' },
          balance_after: { value: '10000.00', currency: 'IDR' },
          possible_duplicate_of: null,
          post_timestamp: '2027-01-15T08:00:00.000Z',
          processed_timestamp: null,
          status: 'active',
          bank_code: 'BCA',
          bank_name: 'Bank Central Asia',
          phone_number: '081234567890',
          expired_at: '2027-01-15T10:00:00.000Z',
          withdrawal_code: CODE,
        },
      },
    ]);
    expect(lastRequest()).toMatchObject({
      merchantId: merchant.merchantId,
      accountId: merchant.accountIds[0],
      referenceNumber: order.reference_number,
      bankCode: 'BCA',
      phoneNumber: '081234567890',
      amountSen: 10_000_000n,
      expiredAtMs: 1_800_007_200_000n,
      idempotencyKey: { key: 'k', route: `POST ${path}` },
    });
    replayed = true;
    const again = await post(path, order, { 'idempotency-key': 'k' });
    expect([again.http, again.headers.get('idempotency-replayed'), again.json.data]).toMatchObject([
      201,
      'true',
      { withdrawal_code: CODE },
    ]);
  });

  test('answers 201 without a code while the bank has given none', async () => {
    edge.fakes.cardlessWithdrawal.createCardlessWithdrawal = async () => ({ transfer: withdrawalOf(PAYING) });
    const reply = await post(path, orderOf());
    expect([reply.http, reply.json.data]).toMatchObject([
      201,
      { status: 'pending', transaction_status: { code: '02' }, withdrawal_code: null },
    ]);
    expect(lastRequest()).not.toHaveProperty('expiredAtMs', expect.anything());
  });

  test.each([
    ['reference_number', { reference_number: '' }],
    ['bank_code', { bank_code: '014' }],
    ['bank_code', { bank_code: 'JAGO' }],
    ['phone_number', { phone_number: '0812-345' }],
    ['phone_number', { phone_number: undefined }],
    ['amount', { amount: 70_000 }],
    ['amount', { amount: 5_050_000 }],
    ['amount', { amount: 50_000.5 }],
    ['amount', { amount: 0 }],
    ['amount', { amount: '50000' }],
    ['expired_at', { expired_at: 'tomorrow' }],
  ])('%s: %j is wrong', async (field, over) => {
    const before = edge.fakes.calls.length;
    const reply = await post(path, orderOf(over));
    expect([reply.http, reply.json]).toMatchObject([422, { error: { errors: { [field]: [expect.any(String)] } } }]);
    expect(edge.fakes.calls.slice(before).map(({ method }) => method)).not.toContain('createCardlessWithdrawal');
  });

  test.each([50_000, 5_000_000])('%i is an amount', async (amount) => {
    edge.fakes.cardlessWithdrawal.createCardlessWithdrawal = async () => ({ transfer: withdrawalOf(PAYING) });
    expect((await post(path, orderOf({ amount }))).http).toBe(201);
  });

  test.each<[RefusalCode, number]>([
    ['insufficient_balance', 400],
    ['duplicate_reference', 409],
    ['idempotency_key_running', 409],
    ['idempotency_key_reused', 422],
    ['account_limit', 400],
    ['product_not_allowed', 403],
    ['frozen', 403],
    ['account_not_found', 404],
    ['account_of_other_merchant', 403],
  ])('%s is %i', async (code, http) => {
    edge.fakes.cardlessWithdrawal.createCardlessWithdrawal = async () => {
      throw new RefusalError(refuse(code));
    };
    const reply = await post(path, orderOf());
    expect([reply.http, reply.json]).toMatchObject([http, { success: false, error: { code: http } }]);
  });

  test('an expiry that is over by business time is an error of its field', async () => {
    edge.fakes.cardlessWithdrawal.createCardlessWithdrawal = async () => {
      throw new RefusalError(refuseField('expired_at', 'must be in the future'));
    };
    const reply = await post(path, orderOf({ expired_at: 1_700_000_000_000 }));
    expect([reply.http, reply.json]).toMatchObject([422, { error: { errors: { expired_at: ['must be in the future'] } } }]);
  });

  test.each([
    [false, 400],
    [true, 404],
  ])('the bank gives no code (phone unknown: %s): %i, with what is recorded', async (beneficiaryUnknown, http) => {
    const transfer = withdrawalOf(FAILED, { beneficiaryUnknown });
    edge.fakes.cardlessWithdrawal.createCardlessWithdrawal = async () => ({ transfer });
    const reply = await post(path, orderOf());
    expect([reply.http, reply.json]).toMatchObject([
      http,
      {
        success: false,
        error: { code: http, message: 'The bank says no' },
        data: { status: 'failed', failed_code: '4039105', withdrawal_code: null },
      },
    ]);
  });

  test('the order of before, as it stands now: expired is no failure', async () => {
    edge.fakes.cardlessWithdrawal.createCardlessWithdrawal = async () => ({
      transfer: withdrawalOf(CANCELED, { expired: true }),
    });
    expect((await post(path, orderOf())).json).toMatchObject({ status: 201, data: { status: 'expired', withdrawal_code: null } });
  });
});

describe('show', () => {
  test.each([
    [PENDING, false, 'active', '03', CODE],
    [PAYING, false, 'pending', '02', ''],
    [SUCCESS, false, 'withdrawn', '00', ''],
    [CANCELED, true, 'expired', '05', ''],
    [CANCELED, false, 'canceled', '05', ''],
    [FAILED, false, 'failed', '06', ''],
    [REFUNDED, false, 'failed', '04', ''],
  ])('status %i (expired: %s) is %s, %s', async (status, expired, word, code, withdrawalCode) => {
    edge.fakes.cardlessWithdrawal.getCardlessWithdrawal = async ({ merchantId, accountId, transactionId }) => {
      expect([merchantId, accountId, transactionId]).toEqual([merchant.merchantId, merchant.accountIds[0], 't-1']);
      return { transfer: withdrawalOf(status, { expired }), withdrawalCode };
    };
    const { json } = await get(`${path}/t-1`);
    const shown = { status: word, transaction_status: { code }, withdrawal_code: withdrawalCode === '' ? null : withdrawalCode };
    expect(json).toMatchObject({ status: 200, data: shown });
  });

  test('an unknown one is 404', async () => {
    edge.fakes.cardlessWithdrawal.getCardlessWithdrawal = async () => {
      throw new RefusalError(refuse('transaction_not_found'));
    };
    expect((await get(`${path}/t-2`)).http).toBe(404);
  });
});

test('list, by the words of the contract, without codes', async () => {
  edge.fakes.cardlessWithdrawal.listCardlessWithdrawals = async () => ({
    transfers: [withdrawalOf(PENDING), withdrawalOf(CANCELED)],
    nextCursor: 'n',
  });
  const { json } = await get(`${path}?limit=5&cursor=c&status=expired&reference_number=r-1&to=2026-11-21T00:00:00Z`);
  expect(json).toMatchObject({ data: { items: [{ status: 'active' }, { status: 'canceled' }], next_cursor: 'n' } });
  expect(JSON.stringify(json)).not.toContain('withdrawal_code');
  expect(lastRequest()).toMatchObject({
    merchantId: merchant.merchantId,
    accountId: merchant.accountIds[0],
    limit: 5,
    cursor: 'c',
    status: CardlessWithdrawalStatus.EXPIRED,
    referenceNumber: 'r-1',
    toMs: BigInt(Date.parse('2026-11-21T00:00:00Z')),
  });
  await get(path);
  expect(lastRequest()).toMatchObject({ status: CardlessWithdrawalStatus.UNSPECIFIED, referenceNumber: '' });
  for (const wrong of ['status=00', 'status=canceling', 'limit=0']) expect((await get(`${path}?${wrong}`)).http).toBe(422);
});

test.each([
  [CANCELED, false, 200, 'canceled'],
  [CANCELED, true, 200, 'expired'],
  [PENDING, false, 200, 'active'],
  [PAYING, false, 200, 'pending'],
  [SUCCESS, false, 400, 'withdrawn'],
  [FAILED, false, 400, 'failed'],
])('cancel: status %i (expired: %s) is %i, %s', async (status, expired, http, word) => {
  edge.fakes.cardlessWithdrawal.cancelCardlessWithdrawal = async () => ({ transfer: withdrawalOf(status, { expired }) });
  const reply = await post(`${path}/t-1/cancel`, {});
  expect([reply.http, reply.json]).toMatchObject([http, { success: http === 200, data: { status: word } }]);
  expect(reply.text).not.toContain('withdrawal_code');
  expect(lastRequest()).toMatchObject({ accountId: merchant.accountIds[0], transactionId: 't-1' });
});
