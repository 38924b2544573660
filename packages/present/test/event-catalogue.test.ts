import { create, toBinary } from '@bufbuild/protobuf';
import { PurchaseFinishedSchema, PurchaseStatus } from '@gerbang/proto/gerbang/biller/v1/biller';
import { expect, test } from 'vitest';
import { type CatalogueEntry, EVENT_CATALOGUE, type EventCatalogue, type EventType, presentEvent } from '../src/index.ts';

const event = (type: string, schema = 1) => ({ type, schema, payload: new Uint8Array(), atMs: 0 });
const outcomeOf = (service: string, type: string, schema?: number) =>
  presentEvent(EVENT_CATALOGUE, service, event(type, schema)).outcome;

test('an event without a webhook says why', () => {
  const entries: readonly CatalogueEntry[] = Object.values(EVENT_CATALOGUE).flatMap((ofService) => Object.values(ofService));
  for (const entry of entries) if ('noWebhook' in entry) expect(entry.noWebhook).not.toBe('');
  expect(presentEvent(EVENT_CATALOGUE, 'money-out', event('disbursement.accepted'))).toEqual({
    outcome: 'no-webhook',
    reason: 'the webhook of a disbursement is about its end',
  });
});

test.each([
  ['a type that no service has', 'money-out', 'disbursement.imagined'],
  ['a type of another service', 'money-in', 'disbursement.succeeded'],
  ['a service without events', 'simulator', 'disbursement.succeeded'],
  ['an inherited property', 'money-out', 'constructor'],
  ['an inherited property as a service', 'constructor', 'name'],
])('%s is unknown', (_, service, type) => {
  expect(outcomeOf(service, type)).toBe('unknown');
});

test('a newer schema is unknown, also where there is no webhook; an older one is not', () => {
  expect(outcomeOf('money-out', 'disbursement.succeeded', 2)).toBe('unknown');
  expect(outcomeOf('money-out', 'disbursement.accepted', 2)).toBe('unknown');
  const newer: EventCatalogue = { 'money-out': { 'disbursement.accepted': { schema: 2, noWebhook: 'for this test' } } };
  expect(presentEvent(newer, 'money-out', event('disbursement.accepted', 1)).outcome).toBe('no-webhook');
});

test('a token is not in the body: it goes beside it, sealed as it came', () => {
  const purchase = { referenceNumber: 'r-1', status: PurchaseStatus.SUCCESS };
  const present = (type: string, sealedToken: string) => {
    const payload = toBinary(PurchaseFinishedSchema, create(PurchaseFinishedSchema, { purchase, sealedToken }));
    const presented = presentEvent(EVENT_CATALOGUE, 'biller', { ...event(type), payload });
    if (presented.outcome !== 'webhook') throw new Error(presented.reason);
    return presented.webhook;
  };
  const webhook = present('biller-payment.succeeded', 'sealed');
  expect([webhook.body, webhook.sealedToken]).toMatchObject([
    { data: { token: null } },
    { referenceNumber: 'r-1', text: 'sealed' },
  ]);
  expect(present('biller-payment.failed', '')).not.toHaveProperty('sealedToken');
});

test('a payload that cannot be read throws', () => {
  expect(() => presentEvent(EVENT_CATALOGUE, 'money-out', event('disbursement.succeeded'))).toThrow('carries nothing');
});

test('the types of each service are a closed union', () => {
  const known: EventType<'money-out'> = 'disbursement.failed';
  // @ts-expect-error No line of the catalogue has this type.
  const unknown: EventType<'money-out'> = 'disbursement.refunded-twice';
  // @ts-expect-error It is another service's.
  const foreign: EventType<'money-in'> = 'disbursement.failed';
  expect(new Set<string>([known, unknown, foreign]).size).toBe(2);
});
