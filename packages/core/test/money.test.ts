import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AMOUNT_MAX_SEN, feeFor, formatSen, parseAmount, parseAmountNumber, roundToRupiah, toMoney } from '../src/index.ts';

const sen = fc.bigInt({ min: 1n, max: AMOUNT_MAX_SEN });

describe('amounts', () => {
  test('what is formatted is parsed again, over the whole range', () => {
    fc.assert(
      fc.property(sen, (amount) => {
        expect(parseAmount(formatSen(amount))).toBe(amount);
      }),
    );
  });

  test('a JSON number with two decimals means the same sen as its text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 9_007_199_254_740_991n / 100n }), (amount) => {
        expect(parseAmountNumber(Number(formatSen(amount)))).toBe(amount);
      }),
    );
  });

  test.each([
    ['150000', 15_000_000n],
    ['150000.5', 15_000_050n],
    ['0.01', 1n],
    ['999999999999.99', AMOUNT_MAX_SEN],
    ['007', 700n],
    ['00.07', 7n],
    [`${'0'.repeat(100)}999999999999.99`, AMOUNT_MAX_SEN],
  ])('%s is %s sen', (text, expected) => expect(parseAmount(text)).toBe(expected));

  test.each([
    '',
    '0',
    '0.00',
    '-5',
    '+5',
    '10.001',
    '1e3',
    '1,000',
    ' 1',
    '1 ',
    '.5',
    '5.',
    '１２',
    '1000000000000',
    '0'.repeat(100),
    `${'0'.repeat(100_000)}x`,
    'NaN',
    '1'.repeat(400),
  ])('refuses %j', (text) => expect(parseAmount(text)).toBeUndefined());

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e21, 0.001, 10.005, 1_000_000_000_000])(
    'refuses the number %d',
    (value) => expect(parseAmountNumber(value)).toBeUndefined(),
  );

  test('answers carry two decimals', () => {
    expect(toMoney(-5n)).toEqual({ value: '-0.05', currency: 'IDR' });
    expect(toMoney(0n)).toEqual({ value: '0.00', currency: 'IDR' });
  });
});

describe('fees', () => {
  const rule = (over: object) => ({
    product: 'disbursement',
    channel: '',
    fixedSen: 0n,
    basisPoints: 0,
    minimumSen: 0n,
    maximumSen: 0n,
    effectiveFromMs: 0,
    ...over,
  });

  test.each([
    [1_234_50n, 1n, 1_235_00n],
    [1_234_49n, 1n, 1_234_00n],
    [0n, 7n, 0n],
    [50n, 1n, 100n],
  ])('%s / %s sen rounds half up to %s', (numerator, denominator, expected) =>
    expect(roundToRupiah(numerator, denominator)).toBe(expected),
  );

  test('a percentage with minimum and maximum', () => {
    const rules = [rule({ basisPoints: 70, minimumSen: 50_000n, maximumSen: 500_000n })];
    expect(feeFor(rules, 'disbursement', '014', 10_000_00n, 0)).toBe(50_000n);
    expect(feeFor(rules, 'disbursement', '014', 150_000_00n, 0)).toBe(105_000n);
    expect(feeFor(rules, 'disbursement', '014', 100_000_000_00n, 0)).toBe(500_000n);
  });

  test('the channel’s own rule goes first, then the newest in effect; none is no fee', () => {
    const rules = [
      rule({ fixedSen: 1n * 100n }),
      rule({ fixedSen: 2n * 100n, effectiveFromMs: 10 }),
      rule({ fixedSen: 3n * 100n, channel: '014' }),
      rule({ fixedSen: 4n * 100n, effectiveFromMs: 99 }),
    ];
    expect(feeFor(rules, 'disbursement', '008', 1n, 9)).toBe(100n);
    expect(feeFor(rules, 'disbursement', '008', 1n, 10)).toBe(200n);
    expect(feeFor(rules, 'disbursement', '014', 1n, 10)).toBe(300n);
    expect(feeFor(rules, 'qris', '014', 1n, 10)).toBe(0n);
  });

  test('a fee is whole rupiah and never negative', () => {
    fc.assert(
      fc.property(sen, fc.nat(10_000), fc.bigInt({ min: 0n, max: 10_000_000n }), (amount, basisPoints, fixedRupiah) => {
        const fee = feeFor([rule({ basisPoints, fixedSen: fixedRupiah * 100n })], 'disbursement', 'x', amount, 0);
        expect(fee % 100n).toBe(0n);
        expect(fee >= 0n).toBe(true);
      }),
    );
  });
});
