import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bankOfVaNumber,
  chainOfPaymentCode,
  isLuhn,
  isRetailCode,
  isVaBankCode,
  luhnDigit,
  newPaymentCode,
  newVaNumber,
  parseVaSeries,
  RETAIL_CODES,
  randomDigits,
  SANDBOX_VA_SERIES,
  VA_BANK_CODES,
} from '../src/index.ts';

const digits = (count: number) => fc.stringMatching(new RegExp(`^\\d{${count}}$`));

describe('virtual accounts', () => {
  test.each(VA_BANK_CODES)('a number at %s is 16 to 18 digits, and the bank’s', (code) => {
    fc.assert(
      fc.property(digits(18), (random) => {
        const number = newVaNumber(SANDBOX_VA_SERIES, code, (count) => random.slice(0, count));
        expect(number).toMatch(/^\d{16,18}$/);
        expect(bankOfVaNumber(SANDBOX_VA_SERIES, number)).toBe(code);
      }),
    );
  });

  test.each(['', '70014', '7001400000000000x', '70014000000000000', '0000000000000000', '700140000000000０'])(
    '%j is no number',
    (number) => expect(bankOfVaNumber(SANDBOX_VA_SERIES, number)).toBeUndefined(),
  );

  test('operators name the prefixes of their banks', () => {
    const series = parseVaSeries(' BCA=39358/16, BRI = 12345/18 ', SANDBOX_VA_SERIES);
    expect(series).toEqual({ ...SANDBOX_VA_SERIES, BCA: { prefix: '39358', length: 16 }, BRI: { prefix: '12345', length: 18 } });
    expect(parseVaSeries('', SANDBOX_VA_SERIES)).toEqual(SANDBOX_VA_SERIES);
  });

  test.each([
    ['an unknown bank', 'JAGO=1234/16'],
    ['a bank twice', 'BCA=1234/16,BCA=1235/16'],
    ['too short', 'BCA=1234/15'],
    ['too long', 'BCA=1234/19'],
    ['too few digits left', 'BCA=1234567/16'],
    ['no prefix', 'BCA=/16'],
    ['another bank’s numbers', 'BCA=88008/16'],
    ['numbers among another bank’s', 'BCA=880081/16'],
    ['something else', 'BCA'],
  ])('and not: %s', (_, text) => expect(parseVaSeries(text, SANDBOX_VA_SERIES)).toBeUndefined());

  test('a bank that has given no numbers has none', () => {
    const series = parseVaSeries('BCA=39358/16', {}) ?? expect.fail('no series');
    expect(series).toEqual({ BCA: { prefix: '39358', length: 16 } });
    expect(bankOfVaNumber(series, '3935800000000001')).toBe('BCA');
    expect(bankOfVaNumber(series, '7700200000000000001'.slice(0, 18))).toBeUndefined();
    expect(() => newVaNumber(series, 'BRI', (count) => '0'.repeat(count))).toThrow(
      expect.objectContaining({ refusal: expect.objectContaining({ errors: { bank_code: ['is not available'] } }) }),
    );
  });

  test('bank codes', () => expect(['BCA', 'bca', 'JAGO', ''].map(isVaBankCode)).toEqual([true, false, false, false]));
});

describe('retail outlets', () => {
  test.each(RETAIL_CODES)('a payment code of %s is sixteen digits, and noticed when mistyped', (code) => {
    fc.assert(
      fc.property(digits(15), fc.nat(15), fc.integer({ min: 1, max: 9 }), (random, at, by) => {
        const paymentCode = newPaymentCode(code, (count) => random.slice(0, count));
        expect(paymentCode).toMatch(/^\d{16}$/);
        expect(chainOfPaymentCode(paymentCode)).toBe(code);
        const wrong = String((Number(paymentCode[at]) + by) % 10);
        expect(chainOfPaymentCode(paymentCode.slice(0, at) + wrong + paymentCode.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  test('chains', () => expect(['ALFAMART', 'alfamart', ''].map(isRetailCode)).toEqual([true, false, false]));
});

describe('Luhn', () => {
  test.each([
    ['79927398713', true],
    ['4811111111111114', true],
    ['79927398710', false],
    ['0', false],
    ['', false],
    ['７９９２７３９８７１３', false],
  ])('%s: %s', (number, valid) => expect(isLuhn(number)).toBe(valid));

  test('the check digit is the one digit that fits', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,30}$/), (number) => {
        expect('0123456789'.split('').filter((digit) => isLuhn(number + digit))).toEqual([luhnDigit(number)]);
      }),
    );
  });
});

test('random digits are as many as asked for', () => {
  expect(randomDigits(40)).toMatch(/^\d{40}$/);
  expect(randomDigits(40)).not.toBe(randomDigits(40));
});
