import { expect, test } from 'vitest';
import { businessDay, exceeded, NOTHING_SPENT, quotaOf, type Reservation, reserve, type Spending, settle } from './quota.ts';

const order = (transactionId: string, day = '20261122', amountSen = 10n): Reservation => ({
  id: `a:${transactionId}`,
  transactionId,
  day,
  amountSen,
});
const spent = (...orders: Reservation[]) => orders.reduce<Spending>(reserve, NOTHING_SPENT);

test.each([
  ['2026-11-22T16:59:59.999Z', '20261122'],
  ['2026-11-22T17:00:00.000Z', '20261123'],
  ['2026-11-30T17:00:00.000Z', '20261201'],
])('%s is the business day %s', (iso, day) => {
  expect(businessDay(Date.parse(iso))).toBe(day);
});

test.each<[string, bigint, bigint, Reservation, 'day' | 'month' | undefined]>([
  ['the last of the day', 30n, 0n, order('x'), undefined],
  ['a sen too much for the day', 30n, 0n, order('x', '20261122', 11n), 'day'],
  ['a day of its own', 20n, 0n, order('x', '20261123', 20n), undefined],
  ['the last of the month', 0n, 30n, order('x', '20261123'), undefined],
  ['a sen too much for the month', 0n, 30n, order('x', '20261123', 11n), 'month'],
  ['either bound', 100n, 29n, order('x'), 'month'],
  ['both bounds', 29n, 29n, order('x'), 'day'],
])('%s', (_what, dailySen, monthlySen, next, bound) => {
  expect(exceeded(spent(order('1'), order('2')), next, { dailySen, monthlySen })).toBe(bound);
});

test('what is not paid gives its amount back to the day on which it was ordered, and the open ones take turns', () => {
  const before = spent(order('1'), order('2', '20261123'), order('3'), order('4'));
  const after = settle(before, ['open', 'does-not-count', 'counts']);
  expect(after.days).toEqual({ 20261122: 30n, 20261123: 0n });
  expect(after.open.map(({ transactionId }) => transactionId)).toEqual(['4', '1']);
  expect(settle(after, ['open', 'open'])).toBe(after);
});

test('a quota is of one product, and none where both bounds are 0', () => {
  const limit = { product: 'disbursement', minimumSen: 1n, maximumSen: 2n, dailyMaximumSen: 0n, monthlyMaximumSen: 5n };
  const limits = [{ ...limit, $typeName: 'gerbang.merchant.v1.Limit' as const }];
  expect(quotaOf(limits, 'disbursement')).toEqual({ dailySen: 0n, monthlySen: 5n });
  expect(quotaOf(limits, 'qris-issuer')).toBeUndefined();
  expect(quotaOf([{ ...limit, $typeName: 'gerbang.merchant.v1.Limit', monthlyMaximumSen: 0n }], 'disbursement')).toBeUndefined();
});
