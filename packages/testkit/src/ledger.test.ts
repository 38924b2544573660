import { RefusalError } from '@gerbang/core';
import { Compensation, Intent, Side } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { expect, test } from 'vitest';
import { newLedger } from './ledger.ts';

const COMPENSATION = Compensation.PAYMENT_WITHDRAWN;
type Posting = Parameters<ReturnType<typeof newLedger>['post']>[0];

test.each<[string, Posting]>([
  ['an amount of 0', { intent: Intent.CREDIT, side: Side.PENDING, amountSen: 0n }],
  ['a settlement of 0', { intent: Intent.SETTLE, amountSen: 0n, feeSen: 5n }],
  ['an amount below 0', { intent: Intent.CREDIT, side: Side.PENDING, amountSen: -1n }],
  ['a fee below 0', { intent: Intent.CREDIT, side: Side.PENDING, amountSen: 1n, feeSen: -1n }],
  ['a compensation of 0 from suspense', { intent: Intent.COMPENSATE, compensation: COMPENSATION, side: Side.SUSPENSE }],
  ['a fee of suspense', { intent: Intent.CREDIT, side: Side.SUSPENSE, amountSen: 1n, feeSen: 1n }],
  ['a fee of the vendor where there is no fee', { intent: Intent.REFUND, amountSen: 1n, vendorFeeSen: 1n }],
])('refuses %s, and books nothing', async (_, posting) => {
  const ledger = newLedger();
  const error = await ledger.post({ ...posting, postingKey: 'p:1' }).catch((thrown: unknown) => thrown);
  expect(error instanceof RefusalError ? error.refusal.refused : error).toBe('validation');
  expect([ledger.keys(), ledger.balance, ledger.suspense.sen]).toEqual([[], { pending: 0n, available: 0n }, 0n]);
});

test('takes a credit whose fee is the whole amount, and its withdrawal', async () => {
  const ledger = newLedger();
  const allFee = { side: Side.PENDING, amountSen: 0n, feeSen: 5n };
  await ledger.post({ ...allFee, postingKey: 'p:credit', intent: Intent.CREDIT });
  await ledger.post({ ...allFee, postingKey: 'p:withdrawal', intent: Intent.COMPENSATE, compensation: COMPENSATION });
  expect(ledger.keys()).toEqual(['credit', 'withdrawal']);
});
