import { expect, test } from 'vitest';
import { FIRST_PRODUCTS } from './first-products.ts';
import { inEffect, type Product, problemsOf, whyNoCustomer } from './product.ts';

const water: Product = {
  code: 'WATER',
  command: 'water',
  name: 'Water',
  amountSen: 10_000_00n,
  adminSen: 1_500_00n,
  railCode: 'PDAM-10',
  customer: { digitsMin: 6, digitsMax: 10, prefix: '' },
  givesToken: false,
  effectiveFromMs: 1_000,
  effectiveUntilMs: undefined,
};

test('the products that there are at first are right', () => {
  for (const product of FIRST_PRODUCTS) expect(problemsOf(product)).toEqual({});
  expect(new Set(FIRST_PRODUCTS.map(({ code }) => code)).size).toBe(FIRST_PRODUCTS.length);
});

test('of several versions the one that began last is in effect; one that ends gives way to the one before', () => {
  const dearer = { ...water, adminSen: 2_000_00n, effectiveFromMs: 2_000, effectiveUntilMs: 3_000 };
  const versions = [dearer, water];
  expect([999, 1_000, 1_999, 2_000, 2_999, 3_000].map((nowMs) => inEffect(versions, nowMs)?.adminSen)).toEqual([
    undefined,
    water.adminSen,
    water.adminSen,
    dearer.adminSen,
    dearer.adminSen,
    water.adminSen,
  ]);
  expect(inEffect([{ ...water, effectiveUntilMs: 2_000 }], 2_000)).toBeUndefined();
});

test.each([
  ['12345', false],
  ['123456', true],
  ['1234567890', true],
  ['12345678901', false],
  ['12345a', false],
  ['１２３４５６', false],
  ['', false],
])('%j is a customer number: %s', (customerId, isRight) => {
  expect(whyNoCustomer(water, customerId) === undefined).toBe(isRight);
});

test('a number begins as the product says', () => {
  const mobile = { ...water, customer: { digitsMin: 10, digitsMax: 13, prefix: '08' } };
  expect([whyNoCustomer(mobile, '081234567890'), whyNoCustomer(mobile, '6281234567890')]).toEqual([
    undefined,
    'must begin with 08',
  ]);
});

test.each([
  ['code', { code: 'water' }],
  ['command', { command: 'Water' }],
  ['name', { name: '' }],
  ['amount', { amountSen: 0n }],
  ['amount', { amountSen: 10_000_50n }],
  ['amount', { amountSen: 10n ** 15n }],
  ['admin', { adminSen: -100n }],
  ['admin', { adminSen: 50n }],
  ['rail_code', { railCode: 'a b' }],
  ['customer_digits', { customer: { digitsMin: 8, digitsMax: 7, prefix: '' } }],
  ['customer_digits', { customer: { digitsMin: 0, digitsMax: 7, prefix: '' } }],
  ['customer_digits', { customer: { digitsMin: 1, digitsMax: 21, prefix: '' } }],
  ['customer_prefix', { customer: { digitsMin: 1, digitsMax: 7, prefix: '08' } }],
  ['customer_prefix', { customer: { digitsMin: 3, digitsMax: 7, prefix: '0x' } }],
  ['effective_from', { effectiveFromMs: -1 }],
  ['effective_until', { effectiveUntilMs: 1_000 }],
])('a wrong %s is named, case %#', (field, over) => {
  expect(Object.keys(problemsOf({ ...water, ...over }))).toEqual([field]);
});
