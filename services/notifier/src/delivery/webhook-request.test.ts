import { create } from '@bufbuild/protobuf';
import { bodyHash, verifyRequestSignature } from '@gerbang/core';
import { WebhookSettingsSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { expect, test } from 'vitest';
import { outcomeOf } from '../event/outcome.ts';
import { type Delivery, newDelivery } from './delivery.ts';
import { webhookRequest } from './webhook-request.ts';

const REAL_MS = 1_750_000_000_999;
const delivery: Delivery = {
  id: '01J00000000000000000000000',
  merchantId: 'm1',
  event: 'disbursement',
  url: 'https://example.com/a%20b/hook?x=1&y=ü#part',
  endpoint: 'm1 https://example.com',
  body: '{"b":1,"a":"ü/"}',
  bodyHash: bodyHash({ b: 1, a: 'ü/' }),
  signed: true,
  traceparent: '',
  atMs: 1,
  aggregate: 'a',
  seq: 1n,
  state: newDelivery(1),
  attempts: [],
  redeliveries: [],
};

test('the signature covers what is sent: the path with its query, the token of this attempt, the body', () => {
  const made = webhookRequest(delivery, { partnerId: 'p', clientSecret: 's' }, REAL_MS);
  expect(Object.keys(made.headers)).toEqual([
    'Content-Type',
    'User-Agent',
    'Accept',
    'X-PARTNER-ID',
    'X-Event-Id',
    'X-Signature',
    'X-Timestamp',
    'Authorization',
  ]);
  expect(made.headers['X-Timestamp']).toBe('1750000000');
  const accessToken = String(made.headers.Authorization).slice('Bearer '.length);
  const signed = {
    method: 'POST',
    path: '/a%20b/hook?x=1&y=%C3%BC',
    accessToken,
    body: { a: 'ü/', b: 1 },
    timestamp: '1750000000',
  };
  expect(verifyRequestSignature(signed, 's', String(made.headers['X-Signature']))).toBe(true);
  const again = webhookRequest(delivery, { partnerId: 'p', clientSecret: 's' }, REAL_MS);
  expect(again.headers.Authorization).not.toBe(made.headers.Authorization);
});

test('without signature security the last three headers are left out', () => {
  const made = webhookRequest(delivery, { partnerId: 'p', clientSecret: undefined }, REAL_MS);
  expect(Object.keys(made.headers)).toEqual(['Content-Type', 'User-Agent', 'Accept', 'X-PARTNER-ID', 'X-Event-Id']);
});

test.each([
  ['qris-issuer', true, true],
  ['qris-issuer', false, false],
  ['disbursement', true, true],
  ['disbursement', false, true],
])('%s with signature_enabled=%s is signed: %s', (event, signatureEnabled, signed) => {
  const settings = create(WebhookSettingsSchema, {
    merchantId: 'm1',
    settings: { disbursementNotifUrl: 'https://example.com/', signatureEnabled },
  });
  expect(outcomeOf({ event, setting: 'disbursement_notif_url', body: { event } }, settings)).toEqual({
    type: 'webhook',
    event,
    url: 'https://example.com/',
    body: JSON.stringify({ event }),
    signed,
  });
});
