import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { DeliveryStatus } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Edge, startEdge } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

const DELIVERY = '01ARZ3NDEKTSV4RRFFQ69G5FAD';
const EVENT = '01ARZ3NDEKTSV4RRFFQ69G5FAE';

let edge: Edge;
let merchant: FakeMerchant;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.close());
beforeEach(() => {
  merchant = edge.merchant();
});
const send = (method: string, path: string, body?: unknown) =>
  edge.send(method, path, { headers: edge.signedIn(merchant), body });

describe('balance-inquiry', () => {
  const idr = (value: string) => ({ value, currency: 'IDR' });
  beforeEach(() => {
    edge.fakes.ledger.getBalance = async ({ accountId }) =>
      accountId === '' ? { availableSen: 1_050n, heldSen: 200n, pendingSen: 3n } : { availableSen: 5n };
  });

  test('of the merchant', async () => {
    expect((await send('GET', '/api/v1.0/balance-inquiry')).json).toEqual({
      status: 200,
      success: true,
      data: { balance: idr('12.53'), available_balance: idr('10.50'), held_balance: idr('2.00'), pending_balance: idr('0.03') },
    });
    expect(edge.fakes.calls.at(-1)?.request).toMatchObject({ merchantId: merchant.merchantId, partition: 'p7', accountId: '' });
  });

  test('of one of its accounts', async () => {
    const [account] = merchant.accountIds;
    expect((await send('GET', `/api/v1.0/balance-inquiry/${account}`)).json.data).toMatchObject({ balance: idr('0.05') });
    expect(edge.fakes.calls.at(-1)?.request).toMatchObject({ accountId: account });
  });

  test('another merchant’s account is a 405, as the specification has it; an unknown one a 404', async () => {
    const foreign = await send('GET', `/api/v1.0/balance-inquiry/${edge.merchant().accountIds[0]}`);
    expect(foreign.json).toEqual({ status: 405, success: false, error: { code: 4059901, message: expect.any(String) } });
    expect(foreign.http).toBe(405);
    for (const unknown of ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'not-a-ulid', '%7B%7D', 'a%2Fb']) {
      expect((await send('GET', `/api/v1.0/balance-inquiry/${unknown}`)).http, unknown).toBe(404);
    }
  });
});

describe('callback-settings', () => {
  const path = '/api/v1.0/callback-settings';

  test('are read and changed field by field; null clears', async () => {
    edge.fakes.merchant.getCallbackSettings = async () => ({
      settings: { transactionNotifUrl: 'https://a.example/x', signatureEnabled: true },
    });
    const data = {
      transaction_notif_url: 'https://a.example/x',
      disbursement_notif_url: null,
      direct_debit_notif_url: null,
      payment_link_inquiry_notif_url: null,
      signature_enabled: true,
    };
    expect((await send('GET', path)).json).toEqual({ status: 200, success: true, data });
    edge.fakes.merchant.updateCallbackSettings = async ({ settings }) => (settings === undefined ? {} : { settings });
    const change = { disbursement_notif_url: 'https://b.example', transaction_notif_url: null, unknown: 1 };
    expect((await send('PUT', path, change)).json.data).toMatchObject({
      disbursement_notif_url: 'https://b.example',
      transaction_notif_url: null,
    });
    const request = Object(edge.fakes.calls.at(-1)?.request);
    expect(request).toMatchObject({ merchantId: merchant.merchantId, settings: { disbursementNotifUrl: 'https://b.example' } });
    expect([...request.update].sort()).toEqual(['disbursement_notif_url', 'transaction_notif_url']);
    expect(request.settings.transactionNotifUrl).toBeUndefined();
    await send('PUT', path, { signature_enabled: false });
    expect(edge.fakes.calls.at(-1)?.request).toMatchObject({
      settings: { signatureEnabled: false },
      update: ['signature_enabled'],
    });
  });

  test.each([
    ['transaction_notif_url', 5],
    ['disbursement_notif_url', ['https://a.example']],
    ['signature_enabled', 'true'],
    ['signature_enabled', null],
  ])('%s: %j is wrong', async (field, value) => {
    const reply = await send('PUT', path, { [field]: value });
    expect([reply.http, reply.json]).toMatchObject([422, { error: { errors: { [field]: [expect.any(String)] } } }]);
  });

  test('what a URL may be is the merchant service’s to say', async () => {
    edge.fakes.merchant.updateCallbackSettings = async () => {
      throw new RefusalError(refuseField('transaction_notif_url', 'must be an https URL'));
    };
    const errors = { transaction_notif_url: ['must be an https URL'] };
    const reply = await send('PUT', path, { transaction_notif_url: 'javascript:alert(1)' });
    expect(reply.json).toMatchObject({ status: 422, error: { errors }, data: { errors } });
  });
});

describe('webhook-deliveries', () => {
  const path = '/api/v1.0/webhook-deliveries';
  const delivery = {
    id: DELIVERY,
    eventId: EVENT,
    event: 'disbursement',
    url: 'https://a.example',
    status: DeliveryStatus.DELIVERED,
  };

  test('list', async () => {
    edge.fakes.deliveries.listDeliveries = async () => ({ deliveries: [delivery], nextCursor: 'n' });
    const reply = await send('GET', `${path}?limit=5&status=failed&cursor=c&from=2026-11-21T00:00:00Z`);
    expect(reply.json.data).toMatchObject({ items: [{ id: DELIVERY, event_id: EVENT, status: 'delivered' }], next_cursor: 'n' });
    expect(edge.fakes.calls.at(-1)?.request).toMatchObject({
      merchantId: merchant.merchantId,
      limit: 5,
      status: DeliveryStatus.FAILED,
      cursor: 'c',
      fromMs: BigInt(Date.parse('2026-11-21T00:00:00Z')),
    });
    expect((await send('GET', `${path}?status=gone`)).json).toMatchObject({
      error: { errors: { status: [expect.any(String)] } },
    });
    expect((await send('GET', `${path}?limit=0`)).http).toBe(422);
  });

  test('one, and once more', async () => {
    const find = async ({ id }: { id: string }) => {
      if (id !== DELIVERY) throw new RefusalError(refuse('transaction_not_found'));
      return { delivery };
    };
    edge.fakes.deliveries = { getDelivery: find, redeliver: find };
    expect((await send('GET', `${path}/${DELIVERY}`)).json).toMatchObject({ status: 200, data: { id: DELIVERY } });
    expect((await send('GET', `${path}/d-2`)).http).toBe(404);
    expect((await send('POST', `${path}/${DELIVERY}/redeliver`)).json).toMatchObject({
      status: 202,
      success: true,
      data: { id: DELIVERY },
    });
    expect((await send('POST', `${path}/${DELIVERY}/redeliver`, {})).http).toBe(202);
    expect((await send('POST', `${path}/d-2/redeliver`, {})).http).toBe(404);
  });
});
