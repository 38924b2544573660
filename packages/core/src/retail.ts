import { isLuhn, luhnDigit } from './luhn.ts';
import { isOfSeries, type NewDigits, type NumberSeries, newNumber } from './number-series.ts';

/** Chains of shops where customers pay in cash (merchant-api.md, retail outlet). */
export const RETAIL_CODES = ['ALFAMART', 'INDOMARET'] as const;
export type RetailCode = (typeof RETAIL_CODES)[number];

/**
 * Sixteen digits, the last of them a check digit, because cashiers type them. An even number of digits makes the shortest
 * barcode.
 */
const SERIES: Readonly<Record<RetailCode, NumberSeries>> = {
  ALFAMART: { prefix: '8610', length: 16 },
  INDOMARET: { prefix: '8620', length: 16 },
};

/** Whether the text is the code of a chain. */
export function isRetailCode(code: string): code is RetailCode {
  return RETAIL_CODES.some((known) => known === code);
}

/** What the customer shows at the till. Whether it is free is for its claim to say (architecture §3). */
export function newPaymentCode(code: RetailCode, newDigits: NewDigits): string {
  const { prefix, length } = SERIES[code];
  const digits = newNumber({ prefix, length: length - 1 }, newDigits);
  return digits + luhnDigit(digits);
}

/** The chain whose payment code this could be; undefined when it is none, for instance mistyped. */
export function chainOfPaymentCode(paymentCode: string): RetailCode | undefined {
  if (!isLuhn(paymentCode)) return undefined;
  return RETAIL_CODES.find((code) => isOfSeries(paymentCode, SERIES[code]));
}
