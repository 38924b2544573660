import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, legsOf } from './decide.ts';
import type { Intent, Posting } from './posting.ts';

const AVAILABLE = 'M/A:available';
const HELD = 'M/A:held';
const PENDING = 'M/A:pending';
const DESTINATION = 'M/B:available';
const BALANCES = { [AVAILABLE]: 100n, [HELD]: 100n, [PENDING]: 50n, [DESTINATION]: 7n };

function posting(intent: Intent, amountSen: bigint, feeSen = 0n): Posting {
  return {
    key: 'key',
    intent,
    merchantId: 'M',
    accountId: 'A',
    amountSen,
    feeSen,
    rail: 'bank-transfer',
    product: 'disbursement',
    transactionId: 't',
    referenceNumber: 'r',
    description: '',
    destinationAccountId: intent === 'transfer' ? 'B' : '',
  };
}

const given = (balances: Record<string, bigint>) => (account: string) => balances[account] ?? 0n;

describe('decide', () => {
  it.each([
    ['hold', posting('hold', 90n, 10n), { [AVAILABLE]: -100n, [HELD]: 100n }, 0n],
    ['hold without a fee', posting('hold', 90n), { [AVAILABLE]: -90n, [HELD]: 90n }, 10n],
    ['capture', posting('capture', 90n, 10n), { [HELD]: -100n, 'rail:bank-transfer': 90n, 'fee-income': 10n }, 100n],
    ['capture without a fee', posting('capture', 100n), { [HELD]: -100n, 'rail:bank-transfer': 100n }, 100n],
    ['release', posting('release', 90n, 10n), { [HELD]: -100n, [AVAILABLE]: 100n }, 200n],
    ['credit', posting('credit', 90n), { 'rail:bank-transfer': -90n, [AVAILABLE]: 90n }, 190n],
    ['transfer', posting('transfer', 100n), { [AVAILABLE]: -100n, [DESTINATION]: 100n }, 0n],
    ['settle', posting('settle', 50n), { [PENDING]: -50n, [AVAILABLE]: 50n }, 150n],
    ['settle, whose fee was taken before', posting('settle', 50n, 5n), { [PENDING]: -50n, [AVAILABLE]: 50n }, 150n],
  ])('given 100 available, 100 held and 50 pending, %s', (_, command, legs, availableAfterSen) => {
    const decided = decide(command, given(BALANCES));
    expect(Object.fromEntries(decided.legs.map(({ account, sen }) => [account, sen]))).toEqual(legs);
    expect(decided.result).toEqual({ availableAfterSen });
  });

  it.each([
    ['a hold of more than is available', posting('hold', 100n, 1n), 'insufficient_balance'],
    ['a capture of more than is held', posting('capture', 100n, 1n), 'internal'],
    ['a release of more than is held', posting('release', 101n), 'internal'],
    ['a transfer of more than is available', posting('transfer', 101n), 'insufficient_balance'],
    ['a settlement of more than is pending', posting('settle', 51n), 'internal'],
    ['a credit beyond int64', posting('credit', 2n ** 63n - 100n), 'account_limit'],
  ])('given 100 available, 100 held and 50 pending, refuses %s and makes no entry', (_, command, refused) => {
    const decided = decide(command, given(BALANCES));
    expect(decided).toMatchObject({ legs: [], result: { refused } });
  });

  it('refuses a transfer to an account that would no longer fit', () => {
    const full = given({ [AVAILABLE]: 1n, [DESTINATION]: 2n ** 63n - 1n });
    expect(decide(posting('transfer', 1n), full)).toMatchObject({ legs: [], result: { refused: 'account_limit' } });
  });

  it('lets system accounts be negative', () => {
    expect(decide(posting('credit', 5n), given({ 'rail:bank-transfer': -7n })).result).toEqual({ availableAfterSen: 5n });
  });

  it('sums every posting up to zero, each account once', () => {
    const intent = fc.constantFrom<Intent>('hold', 'capture', 'release', 'credit', 'transfer', 'settle');
    fc.assert(
      fc.property(intent, fc.bigInt(1n, 10n ** 15n), fc.bigInt(0n, 10n ** 12n), (name, amountSen, feeSen) => {
        const legs = legsOf(posting(name, amountSen, feeSen));
        expect(legs.reduce((sum, { sen }) => sum + sen, 0n)).toBe(0n);
        expect(new Set(legs.map(({ account }) => account)).size).toBe(legs.length);
      }),
    );
  });
});
