import { createClock } from '@gerbang/core';
import { expect, test } from 'vitest';
import { useMoneyOut } from './harness.ts';

const world = useMoneyOut();
const MINUTE = 60_000;

/** A service whose bank is away, and a merchant; `order` answers with the reference that an order may be a duplicate of. */
async function aMerchant(fundedSen = 100_000n) {
  const clock = createClock();
  const service = await world.start(world.newDatabase(), clock);
  const { merchantId, source: accountId, destination } = world.newMerchant({}, fundedSen);
  world.available.set(destination, fundedSen);
  const base = { merchantId, accountId, bankCode: '014', bankAccountNumber: '1234567890', amountSen: 1_000n };
  const order = async (referenceNumber: string, over: object = {}) =>
    (await service.disbursements.transfer({ ...base, referenceNumber, ...over })).transfer?.possibleDuplicateOf;
  return { ...service, merchantId, accountId, destination, order };
}

test('an order names the newest one of the last 5 minutes that pays the same beneficiary as much', async () => {
  const { order, clock, destination, disbursements, merchantId, accountId } = await aMerchant();
  expect(await order('a')).toBe('');
  expect(await order('b', { bankCode: 'CENAIDJA', bankAccountName: 'Budi', description: 'again' })).toBe('a');
  expect(await order('c')).toBe('b');
  const others = [{ amountSen: 1_001n }, { bankAccountNumber: '1234567891' }, { bankCode: '008' }, { accountId: destination }];
  for (const [index, over] of others.entries()) expect(await order(`other-${index}`, over)).toBe('');
  expect(await order('c')).toBe('b');

  clock.setOffset(5 * MINUTE);
  expect(await order('d')).toBe('');
  clock.setOffset(9 * MINUTE);
  expect(await order('e')).toBe('d');
  const { transfers } = await disbursements.listTransfers({ merchantId, accountId, limit: 3 });
  expect(transfers.map((one) => [one.referenceNumber, one.possibleDuplicateOf])).toEqual([
    ['e', 'd'],
    ['d', ''],
    ['other-2', ''],
  ]);
});

test('of two orders that concur, at least one names the other', async () => {
  const { order } = await aMerchant();
  const named = await Promise.all([order('a'), order('b')]);
  expect(named.filter((one) => one !== '').length).toBeGreaterThan(0);
  expect(['', 'b']).toContain(named[0]);
  expect(['', 'a']).toContain(named[1]);
});

test('of many orders that concur, each finds its own payment', async () => {
  const { order } = await aMerchant(10_000_000n);
  const pay = (round: string) => (_: unknown, i: number) =>
    order(`${round}-${i}`, { bankAccountNumber: i < 20 ? '1' : String(i), amountSen: 10n });
  await Promise.all(Array.from({ length: 60 }, pay('first')));
  const named = await Promise.all(Array.from({ length: 60 }, pay('second')));
  expect(named.slice(20)).toEqual(Array.from({ length: 40 }, (_, i) => `first-${i + 20}`));
  for (const one of named.slice(0, 20)) expect(one).toMatch(/^(first|second)-1?[0-9]$/);
  expect(await order('other', { bankAccountNumber: '1000', amountSen: 10n })).toBe('');
});

test('an order that was refused is none that another one could repeat', async () => {
  const { order, accountId } = await aMerchant(999n);
  await expect(order('a')).rejects.toMatchObject({ refusal: { refused: 'insufficient_balance' } });
  world.available.set(accountId, 5_000n);
  expect(await order('b')).toBe('');
});

test('a transfer between own accounts names an earlier one to the same account', async () => {
  const { accountTransfers, merchantId, accountId, destination, clock } = await aMerchant();
  const base = { merchantId, sourceAccountId: accountId, destinationAccountId: destination, amountSen: 1_000n };
  const order = async (referenceNumber: string, over: object = {}) =>
    (await accountTransfers.createAccountTransfer({ ...base, referenceNumber, ...over })).accountTransfer?.possibleDuplicateOf;
  expect(await order('a')).toBe('');
  expect(await order('b')).toBe('a');
  expect(await order('b')).toBe('a');
  expect(await order('c', { amountSen: 1n })).toBe('');
  clock.setOffset(6 * MINUTE);
  expect(await order('d')).toBe('');
});
