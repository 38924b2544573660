import { bodyHash, RefusalError } from '@gerbang/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Call } from '../../http/call.ts';
import { idempotencyKeyOf } from '../../http/idempotency.ts';
import type { Route } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { routes } from '../index.ts';
import { CARD_FIELDS } from './fields.ts';
import { payByCard } from './pay.ts';

const BODY = {
  card_number: '4411111111111118',
  card_expiry: '12/39',
  card_cvv: '123',
  card_holder_name: 'BUDI SANTOSO',
  installment: 1,
  installment_month: 1,
  amount: { value: '250000.00', currency: 'IDR' },
  customer: { name: 'Budi', email: 'budi@example.com', phone: '081234567890' },
};

/** The fields that are wrong, with what is said of each. */
function problemsOf(over: object): Record<string, string[]> {
  try {
    validate(payByCard.input, { params: { account_id: 'a' }, query: {}, body: { ...BODY, ...over } });
    return {};
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal.errors ?? {};
    throw error;
  }
}

describe('a payment', () => {
  test.each([
    [{}],
    [{ card_number: '378282246310005', card_cvv: '1234' }],
    [{ installment: 2, installment_month: 12 }],
    [{ installment: undefined, installment_month: undefined }],
    [{ redirect_url: 'https://shop.example/done', merchant_reff_no: 'order-1' }],
  ])('of %j is taken', (over) => {
    expect(problemsOf(over)).toEqual({});
  });

  test.each([
    ['card_number', { card_number: '4411111111111117' }],
    ['card_number', { card_number: '4411 1111 1111 1118' }],
    ['card_number', { card_number: 4411111111111118 }],
    ['card_number', { card_number: undefined }],
    ['card_expiry', { card_expiry: '13/39' }],
    ['card_expiry', { card_expiry: '1239' }],
    ['card_cvv', { card_cvv: '12' }],
    ['card_cvv', { card_cvv: '1234' }],
    ['card_cvv', { card_number: '378282246310005' }],
    ['card_holder_name', { card_holder_name: 'BUDI 4411111111111118' }],
    ['installment', { installment: 3 }],
    ['installment_month', { installment: 2, installment_month: 5 }],
    ['installment_month', { installment: 2, installment_month: 1 }],
    ['installment_month', { installment: 1, installment_month: 3 }],
    ['amount', { amount: { value: '0.00', currency: 'IDR' } }],
    ['customer', { customer: undefined }],
    ['customer', { customer: { ...BODY.customer, phone: '4411111111111118' } }],
    ['customer', { customer: { ...BODY.customer, phone: '378282246310005' } }],
    ['customer', { customer: { ...BODY.customer, email: '4411111111111118@example.com' } }],
    ['redirect_url', { redirect_url: 'javascript:alert(1)' }],
  ])('has a problem with %s, and the message repeats no digit of the card: %j', (field, over) => {
    const problems = problemsOf(over);
    expect(Object.keys(problems)).toEqual([field]);
    expect(JSON.stringify(problems)).not.toMatch(/44111|11111|37828|46310|1234|12\/39/);
  });
});

test('every operation that takes a card declares its fields, so that no hash is made of them', () => {
  const takesCard = ({ operation: { input } }: Route) =>
    JSON.stringify(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })).includes('card_number');
  const ofCards = routes.filter(takesCard).map(({ operation: { id, secretFields } }) => [id, secretFields]);
  expect(ofCards).toEqual(['payByCard', 'createPlan', 'replacePlanCard'].map((id) => [id, CARD_FIELDS]));
});

test.each([[[BODY]], ['4411111111111118'], [4411111111111118]])('no hash is made of a body that is no object: %j', (body) => {
  const call: Call = {
    caller: { merchantId: 'm', clientId: 'c', clientSecret: 's', accessToken: 't' },
    route: 'POST /api/v2.0/card/:account_id/payment',
    params: { account_id: 'a' },
    query: {},
    body,
    address: () => undefined,
    bodyHash: () => expect.fail('the whole body must not be hashed'),
    header: () => 'k',
  };
  expect(idempotencyKeyOf(call, CARD_FIELDS)?.bodyHash).toBe(bodyHash(undefined));
});

test('the hash of an Idempotency-Key leaves the card out, and nothing else', () => {
  const hashOf = (over: object) => {
    const call: Call = {
      caller: { merchantId: 'm', clientId: 'c', clientSecret: 's', accessToken: 't' },
      route: 'POST /api/v2.0/card/:account_id/payment',
      params: { account_id: 'a' },
      query: {},
      body: { ...BODY, ...over },
      bodyHash: () => expect.fail('the whole body must not be hashed'),
      address: () => undefined,
      header: (name) => (name === 'idempotency-key' ? 'k' : undefined),
    };
    return idempotencyKeyOf(call, CARD_FIELDS)?.bodyHash;
  };
  expect(hashOf({ card_number: '5555555555554444', card_cvv: '999', card_expiry: '01/30' })).toBe(hashOf({}));
  expect(hashOf({ installment: 2 })).not.toBe(hashOf({}));
  expect(payByCard.secretFields).toEqual(CARD_FIELDS);
});
