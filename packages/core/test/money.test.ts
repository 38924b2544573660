import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AMOUNT_MAX_SEN, formatSen, parseAmount, parseAmountNumber, roundToRupiah, toMoney } from '../src/index.ts';

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

describe('rounding to the whole rupiah', () => {
  test.each([
    [1_234_50n, 1n, 1_235_00n],
    [1_234_49n, 1n, 1_234_00n],
    [0n, 7n, 0n],
    [50n, 1n, 100n],
  ])('%s / %s sen rounds half up to %s', (numerator, denominator, expected) =>
    expect(roundToRupiah(numerator, denominator)).toBe(expected),
  );
});
