import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, legsOf } from './decide.ts';
import { COMPENSATIONS, INTENTS, type Intent, type Posting, SIDES } from './posting.ts';

const AVAILABLE = 'M/A:available';
const HELD = 'M/A:held';
const PENDING = 'M/A:pending';
const RESERVE = 'M/A:reserve';
const OWED = 'M/A:owed';
const RAIL = 'rail:bank-transfer';
const SUSPENSE = 'suspense:bank-transfer';
const DESTINATION = 'M/B:available';
const BALANCES = { [AVAILABLE]: 100n, [HELD]: 100n, [PENDING]: 50n, [DESTINATION]: 7n };

function posting(intent: Intent, amountSen: bigint, feeSen = 0n, more: Partial<Posting> = {}): Posting {
  return {
    key: 'key',
    intent,
    merchantId: 'M',
    accountId: 'A',
    amountSen,
    feeSen,
    vendorFeeSen: 0n,
    rail: 'bank-transfer',
    product: 'disbursement',
    transactionId: 't',
    referenceNumber: 'r',
    description: '',
    destinationAccountId: intent === 'transfer' ? 'B' : '',
    side: 'available',
    fromSuspense: false,
    compensation: intent === 'compensate' ? 'payout-returned' : '',
    ...more,
  };
}

const compensation = (kind: Posting['compensation'], amountSen: bigint, feeSen: bigint, side: Posting['side'] = 'available') =>
  posting('compensate', amountSen, feeSen, { compensation: kind, side });

const given = (balances: Record<string, bigint>) => (account: string) => balances[account] ?? 0n;

describe('decide', () => {
  it('credits nothing but the fee where the fee takes all of a payment', () => {
    const legs = legsOf(posting('credit', 0n, 4n, { side: 'pending' }), given({}));
    expect(legs).toEqual([
      { account: RAIL, sen: -4n },
      { account: 'fee-income', sen: 4n },
    ]);
  });

  it.each(['pending', 'available'] as const)('gives back only the fee where a withdrawn payment was all fee and %s', (side) => {
    const withdrawn = posting('compensate', 0n, 4n, { compensation: 'payment-withdrawn', vendorFeeSen: 3n, side });
    expect(legsOf(withdrawn, given({}))).toEqual([
      { account: 'fee-income', sen: -1n },
      { account: 'vendor-fees', sen: -3n },
      { account: RAIL, sen: 4n },
    ]);
  });

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
    [
      'credit whose vendor gets a part of the fee',
      posting('credit', 90n, 10n, { vendorFeeSen: 4n }),
      { [RAIL]: -100n, [AVAILABLE]: 90n, 'fee-income': 6n, 'vendor-fees': 4n },
      190n,
    ],
    [
      'capture whose vendor gets more than the fee',
      posting('capture', 90n, 10n, { vendorFeeSen: 13n }),
      { [HELD]: -100n, [RAIL]: 90n, 'fee-income': -3n, 'vendor-fees': 13n },
      100n,
    ],
    [
      'payment that was withdrawn, whose vendor gives its part back',
      posting('compensate', 90n, 10n, { compensation: 'payment-withdrawn', vendorFeeSen: 4n }),
      { [AVAILABLE]: -90n, 'fee-income': -6n, 'vendor-fees': -4n, [RAIL]: 100n },
      10n,
    ],
    ['credit with a fee', posting('credit', 90n, 10n), { [RAIL]: -100n, [AVAILABLE]: 90n, 'fee-income': 10n }, 190n],
    [
      'credit of money in',
      posting('credit', 90n, 10n, { side: 'pending' }),
      { [RAIL]: -100n, [PENDING]: 90n, 'fee-income': 10n },
      100n,
    ],
    ['credit to suspense', posting('credit', 90n, 0n, { side: 'suspense' }), { [RAIL]: -90n, [SUSPENSE]: 90n }, 100n],
    [
      'credit out of suspense',
      posting('credit', 90n, 10n, { side: 'pending', fromSuspense: true }),
      { [SUSPENSE]: -100n, [PENDING]: 90n, 'fee-income': 10n },
      100n,
    ],
    ['refund', posting('refund', 90n, 10n), { [AVAILABLE]: -100n, [RAIL]: 100n }, 0n],
    [
      'refund while unsettled',
      posting('refund', 50n, 10n, { side: 'pending' }),
      { [PENDING]: -50n, [AVAILABLE]: -10n, [RAIL]: 60n },
      90n,
    ],
    [
      'refund while unsettled, without a fee',
      posting('refund', 50n, 0n, { side: 'pending' }),
      { [PENDING]: -50n, [RAIL]: 50n },
      100n,
    ],
    ['refund out of suspense', posting('refund', 50n, 0n, { side: 'suspense' }), { [SUSPENSE]: -50n, [RAIL]: 50n }, 100n],
    [
      'a returned payout',
      compensation('payout-returned', 90n, 10n),
      { [RAIL]: -90n, 'fee-income': -10n, [AVAILABLE]: 100n },
      200n,
    ],
    [
      'a payout made after all',
      compensation('payout-made', 90n, 10n),
      { [AVAILABLE]: -100n, [RAIL]: 90n, 'fee-income': 10n },
      0n,
    ],
    [
      'a payout made after all that the merchant cannot bear',
      compensation('payout-made', 900n, 0n, 'suspense'),
      { [SUSPENSE]: -900n, [RAIL]: 900n },
      100n,
    ],
    [
      'a withdrawn payment',
      compensation('payment-withdrawn', 50n, 10n, 'pending'),
      { [PENDING]: -50n, 'fee-income': -10n, [RAIL]: 60n },
      100n,
    ],
  ])('given 100 available, 100 held and 50 pending, %s', (_, command, legs, availableAfterSen) => {
    const decided = decide(command, given(BALANCES));
    expect(Object.fromEntries(decided.legs.map(({ account, sen }) => [account, sen]))).toEqual(legs);
    expect(decided.result).toEqual({ availableAfterSen });
  });

  it.each([
    ['reserves what is available', posting('reserve', 90n, 10n), {}, { [AVAILABLE]: -100n, [RESERVE]: 100n }, 0n],
    [
      'owes what available is short of',
      posting('reserve', 130n, 10n),
      {},
      { [AVAILABLE]: -100n, [OWED]: -40n, [RESERVE]: 140n },
      0n,
    ],
    ['owes all of it', posting('reserve', 30n), { [AVAILABLE]: 0n }, { [OWED]: -30n, [RESERVE]: 30n }, 0n],
    ['restores to available', posting('restore', 90n, 10n), {}, { [RESERVE]: -100n, [AVAILABLE]: 100n }, 200n],
    [
      'repays what is owed before it restores',
      posting('restore', 90n, 10n),
      { [OWED]: -40n },
      { [RESERVE]: -100n, [OWED]: 40n, [AVAILABLE]: 60n },
      160n,
    ],
    [
      'gives what is lost to the rail',
      posting('forfeit', 90n, 10n, { vendorFeeSen: 4n }),
      {},
      { [RESERVE]: -100n, [RAIL]: 90n, 'fee-income': 6n, 'vendor-fees': 4n },
      100n,
    ],
    [
      'repays from a settlement, and gives the rest',
      posting('settle', 50n),
      { [OWED]: -20n },
      { [PENDING]: -50n, [OWED]: 20n, [AVAILABLE]: 30n },
      130n,
    ],
    ['repays with all of a settlement', posting('settle', 50n), { [OWED]: -50n }, { [PENDING]: -50n, [OWED]: 50n }, 100n],
    ['repays a part', posting('settle', 50n), { [OWED]: -70n }, { [PENDING]: -50n, [OWED]: 50n }, 100n],
  ])('of a chargeback %s', (_, command, balances, legs, availableAfterSen) => {
    const decided = decide(command, given({ ...BALANCES, [RESERVE]: 100n, ...balances }));
    expect(Object.fromEntries(decided.legs.map(({ account, sen }) => [account, sen]))).toEqual(legs);
    expect(decided.result).toEqual({ availableAfterSen });
  });

  it.each(['restore', 'forfeit'] as const)('refuses to %s more than is reserved', (intent) => {
    const decided = decide(posting(intent, 101n), given({ ...BALANCES, [RESERVE]: 100n }));
    expect(decided).toMatchObject({ legs: [], result: { refused: 'internal' } });
  });

  it.each([
    ['a hold of more than is available', posting('hold', 100n, 1n), 'insufficient_balance'],
    ['a capture of more than is held', posting('capture', 100n, 1n), 'internal'],
    ['a release of more than is held', posting('release', 101n), 'internal'],
    ['a transfer of more than is available', posting('transfer', 101n), 'insufficient_balance'],
    ['a settlement of more than is pending', posting('settle', 51n), 'internal'],
    ['a refund of more than is available', posting('refund', 100n, 1n), 'insufficient_balance'],
    ['a refund of more than is pending', posting('refund', 51n, 0n, { side: 'pending' }), 'internal'],
    ['a refund whose fee is more than is available', posting('refund', 50n, 101n, { side: 'pending' }), 'insufficient_balance'],
    ['a payout that was made, of more than is available', compensation('payout-made', 100n, 1n), 'insufficient_balance'],
    [
      'a payment that was withdrawn, of more than is available',
      compensation('payment-withdrawn', 101n, 0n),
      'insufficient_balance',
    ],
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
    const more = fc.record({
      side: fc.constantFrom(...SIDES),
      fromSuspense: fc.boolean(),
      availableSen: fc.bigInt(0n, 10n ** 15n),
      owedSen: fc.oneof(fc.constant(0n), fc.bigInt(0n, 10n ** 15n)),
      vendorFeeSen: fc.constantFrom(0n, 1n, 10n ** 12n),
      compensation: fc.constantFrom(...COMPENSATIONS).filter((one) => one !== ''),
    });
    const fee = fc.bigInt(0n, 10n ** 12n);
    fc.assert(
      fc.property(fc.constantFrom(...INTENTS), fc.bigInt(1n, 10n ** 15n), fee, more, (intent, amountSen, feeSen, variant) => {
        const { availableSen, owedSen } = variant;
        // A credit from suspense to suspense is refused before it comes here.
        const fromSuspense = variant.fromSuspense && variant.side !== 'suspense';
        const balances = given({ [AVAILABLE]: availableSen, [OWED]: -owedSen });
        const legs = legsOf(posting(intent, amountSen, feeSen, { ...variant, fromSuspense }), balances);
        expect(legs.every(({ sen }) => sen !== 0n)).toBe(true);
        expect(legs.reduce((sum, { sen }) => sum + sen, 0n)).toBe(0n);
        expect(new Set(legs.map(({ account }) => account)).size).toBe(legs.length);
      }),
    );
  });
});
