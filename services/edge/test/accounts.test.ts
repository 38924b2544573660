import { create } from '@bufbuild/protobuf';
import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { AccountSchema, AccountStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Edge, startEdge } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

const path = '/api/v1.0/accounts';
const UNKNOWN = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

let edge: Edge;
let merchant: FakeMerchant;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.close());
beforeEach(() => {
  merchant = edge.merchant();
  edge.fakes.account = {};
});
const send = (method: string, to: string, body?: unknown, headers: Record<string, string> = {}) =>
  edge.send(method, to, { headers: { ...edge.signedIn(merchant), ...headers }, body });
const lastRequest = () => Object(edge.fakes.calls.at(-1)?.request);

const account = create(AccountSchema, {
  accountId: UNKNOWN,
  name: 'Cabang',
  status: AccountStatus.INACTIVE,
  createdAtMs: 1_800_000_000_000n,
  updatedAtMs: 1_800_000_000_001n,
});
const shown = {
  id: UNKNOWN,
  name: 'Cabang',
  status: 'inactive',
  merchant_reff_no: null,
  is_default: false,
  created_at: '2027-01-15T08:00:00.000Z',
  updated_at: '2027-01-15T08:00:00.001Z',
};

test('opens with 201; the key goes along and its first answer comes back marked', async () => {
  let replayed = false;
  edge.fakes.account.openAccount = async () => ({ account: { ...account, merchantReffNo: 'b-1' }, replayed });
  const body = { name: 'Cabang', merchant_reff_no: 'b-1', unknown: 1 };
  const opened = await send('POST', path, body, { 'idempotency-key': 'k-1' });
  expect([opened.http, opened.json]).toEqual([201, { status: 201, success: true, data: { ...shown, merchant_reff_no: 'b-1' } }]);
  expect(opened.headers.get('idempotency-replayed')).toBeNull();
  expect(lastRequest()).toMatchObject({
    merchantId: merchant.merchantId,
    name: 'Cabang',
    merchantReffNo: 'b-1',
    idempotencyKey: { key: 'k-1', route: `POST ${path}`, bodyHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  replayed = true;
  const again = await send('POST', path, body, { 'idempotency-key': 'k-1' });
  expect([again.http, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  await send('POST', path, { name: 'x' });
  expect(lastRequest().idempotencyKey).toBeUndefined();
});

test.each([
  ['idempotency_key_reused', 422],
  ['idempotency_key_running', 409],
  ['frozen', 403],
] as const)('%s is %i', async (code, http) => {
  edge.fakes.account.openAccount = async () => {
    throw new RefusalError(refuse(code));
  };
  const refused = await send('POST', path, { name: 'x' }, { 'idempotency-key': 'k' });
  expect([refused.http, refused.json]).toMatchObject([http, { status: http, success: false, error: { code: http } }]);
  expect(refused.headers.get('retry-after')).toBe(http === 409 ? '1' : null);
});

test.each([
  ['POST', path, {}, 'name'],
  ['POST', path, { name: 5 }, 'name'],
  ['POST', path, { name: null }, 'name'],
  ['POST', path, { name: 'x', merchant_reff_no: 5 }, 'merchant_reff_no'],
  ['POST', path, { name: 'x', merchant_reff_no: 'x'.repeat(256) }, 'merchant_reff_no'],
  ['POST', path, [], 'body'],
  ['PUT', `${path}/${UNKNOWN}`, { name: {} }, 'name'],
  ['PUT', `${path}/${UNKNOWN}`, { status: 'frozen' }, 'status'],
  ['PUT', `${path}/${UNKNOWN}`, { status: null }, 'status'],
  ['GET', `${path}?limit=0`, undefined, 'limit'],
  ['GET', `${path}?limit=101`, undefined, 'limit'],
  ['GET', `${path}?status=gone`, undefined, 'status'],
  ['GET', `${path}?from=yesterday`, undefined, 'from'],
  ['GET', `${path}?merchant_reff_no=a&merchant_reff_no=b`, undefined, 'merchant_reff_no'],
])('%s %s %j: %s is wrong', async (method, to, body, field) => {
  const reply = await send(method, to, body);
  expect([reply.http, reply.json]).toMatchObject([422, { error: { errors: { [field]: [expect.any(String)] } } }]);
});

test('what a name may be is the merchant service’s to say', async () => {
  edge.fakes.account.openAccount = async () => {
    throw new RefusalError(refuseField('name', 'must have 1 to 100 characters'));
  };
  const reply = await send('POST', path, { name: '' });
  expect(reply.json).toMatchObject({ status: 422, error: { errors: { name: ['must have 1 to 100 characters'] } } });
});

test('shows one, also right after a change; another merchant’s is a 403, an unknown one a 404', async () => {
  const [own = ''] = merchant.accountIds;
  expect((await send('GET', `${path}/${own}`)).json).toMatchObject({ status: 200, data: { id: own, status: 'active' } });
  expect((await send('GET', `${path}/${own}`)).http).toBe(200);
  expect(edge.fakes.calls.slice(-2).map(({ method }) => method)).toEqual(['getAccount', 'getAccount']);
  expect((await send('GET', `${path}/${edge.merchant().accountIds[0]}`)).http).toBe(403);
  for (const unknown of [UNKNOWN, 'not-a-ulid', '%7B%7D']) expect((await send('GET', `${path}/${unknown}`)).http).toBe(404);
});

test('updates the fields that were sent', async () => {
  edge.fakes.account.updateAccount = async () => ({ account });
  const changed = await send('PUT', `${path}/${UNKNOWN}`, { name: 'Cabang', status: 'inactive' });
  expect(changed.json).toEqual({ status: 200, success: true, data: shown });
  const { merchantId } = merchant;
  expect(lastRequest()).toMatchObject({ merchantId, accountId: UNKNOWN, name: 'Cabang', status: AccountStatus.INACTIVE });
  await send('PUT', `${path}/${UNKNOWN}`, { status: 'active' });
  expect([lastRequest().name, lastRequest().status]).toEqual([undefined, AccountStatus.ACTIVE]);
  await send('PUT', `${path}/${UNKNOWN}`, {});
  expect(lastRequest().status).toBe(AccountStatus.UNSPECIFIED);
});

test('lists with filters and cursor', async () => {
  edge.fakes.account.listAccounts = async () => ({ accounts: [account], nextCursor: 'n' });
  const listed = await send('GET', `${path}?limit=2&cursor=c&status=frozen&merchant_reff_no=r&from=2026-11-21T00:00:00Z`);
  expect(listed.json).toEqual({ status: 200, success: true, data: { items: [shown], next_cursor: 'n' } });
  expect(lastRequest()).toMatchObject({
    merchantId: merchant.merchantId,
    limit: 2,
    cursor: 'c',
    status: AccountStatus.FROZEN,
    merchantReffNo: 'r',
    fromMs: BigInt(Date.parse('2026-11-21T00:00:00Z')),
  });
  expect((await edge.send('GET', path)).http).toBe(422);
  expect((await send('PATCH', path)).headers.get('allow')).toBe('GET, POST');
});
