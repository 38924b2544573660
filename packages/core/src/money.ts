/** Money is integer sen (1/100 rupiah) as bigint, everywhere inside. Floats never touch it. */

/** Largest amount a request may carry: IDR 999,999,999,999.99 (contract §2). */
export const AMOUNT_MAX_SEN = 99_999_999_999_999n;

/** Leading zeros mean nothing, however many there are; twelve digits after them reach AMOUNT_MAX_SEN. */
const AMOUNT = /^0*([0-9]{1,12})(?:\.([0-9]{1,2}))?$/;

/** The specification's money object; `value` has two decimals in every answer. */
export type Money = { value: string; currency: 'IDR' };

/**
 * Parses a request amount such as "150000", "150000.5" or "150000.50" into sen.
 * Returns undefined unless it matches `^\d+(\.\d{1,2})?$` in ASCII digits, is > 0 and ≤ AMOUNT_MAX_SEN (contract §2).
 */
export function parseAmount(value: string): bigint | undefined {
  const match = AMOUNT.exec(value);
  if (match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  const sen = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'));
  return sen > 0n && sen <= AMOUNT_MAX_SEN ? sen : undefined;
}

/**
 * Parses a v1 request amount, a JSON number with at most two decimals, into sen; undefined when it is out of bounds (contract
 * §2). ECMAScript writes a double with as few digits as tell it apart, so 12345.67 reads as just that.
 */
export function parseAmountNumber(value: number): bigint | undefined {
  return Number.isFinite(value) && value > 0 ? parseAmount(String(value)) : undefined;
}

/** Sen as a decimal with two places, for instance 15000050n → "150000.50". */
export function formatSen(sen: bigint): string {
  const sign = sen < 0n ? '-' : '';
  const digits = (sen < 0n ? -sen : sen).toString().padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Sen as the money object of every answer. */
export function toMoney(sen: bigint): Money {
  return { value: formatSen(sen), currency: 'IDR' };
}

/** Rounds half up to the whole rupiah, as fees are (contract §2). Takes sen ≥ 0. */
export function roundToRupiah(numeratorSen: bigint, denominator: bigint): bigint {
  const scale = 100n * denominator;
  return ((numeratorSen + scale / 2n) / scale) * 100n;
}
