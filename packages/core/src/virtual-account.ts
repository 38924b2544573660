import { type Bank, findBankByShortName } from './banks.ts';
import { areDistinct, isOfSeries, type NewDigits, type NumberSeries, newNumber } from './number-series.ts';
import { RefusalError, refuseField } from './result.ts';

/** Banks with virtual accounts (merchant-api.md), by their short names, which are the API's bank codes. */
export const VA_BANK_CODES = [
  'BCA',
  'BNI',
  'BRI',
  'MANDIRI',
  'PERMATA',
  'MAYBANK',
  'CIMB',
  'BSI',
  'MUAMALAT',
  'BNC',
  'OCBC',
  'DANAMON',
] as const;
export type VaBankCode = (typeof VA_BANK_CODES)[number];

/**
 * Numbers are 16 to 18 digits long (contract §5), and this many at least are not the bank's, so that a number can't be guessed.
 */
const LENGTH_MIN = 16;
const LENGTH_MAX = 18;
const OWN_DIGITS_MIN = 10;

/** The numbers that banks have given the gateway; a bank that is not there has given none. */
export type VaSeries = Readonly<Partial<Record<VaBankCode, NumberSeries>>>;

/**
 * The sandbox's numbers: of the shape that the banks use, owned by no bank. A gateway in production has a prefix from each bank
 * and names it in its configuration.
 */
export const SANDBOX_VA_SERIES: VaSeries = {
  BCA: { prefix: '70014', length: 16 },
  BNI: { prefix: '98809', length: 16 },
  BRI: { prefix: '77002', length: 18 },
  MANDIRI: { prefix: '88008', length: 16 },
  PERMATA: { prefix: '8513', length: 16 },
  MAYBANK: { prefix: '7816', length: 16 },
  CIMB: { prefix: '1922', length: 16 },
  BSI: { prefix: '9451', length: 16 },
  MUAMALAT: { prefix: '8147', length: 16 },
  BNC: { prefix: '9490', length: 16 },
  OCBC: { prefix: '9328', length: 16 },
  DANAMON: { prefix: '7911', length: 16 },
};

/** Whether the text is the code of a bank with virtual accounts. */
export function isVaBankCode(code: string): code is VaBankCode {
  return VA_BANK_CODES.some((known) => known === code);
}

/** Name, national code and SWIFT code of a bank with virtual accounts. */
export function vaBank(code: VaBankCode): Bank {
  const bank = findBankByShortName(code);
  if (bank === undefined) throw new Error(`there is no bank ${code}`);
  return bank;
}

/** A number at the bank. Refusals: validation (bank_code) where it has given the gateway none. */
export function newVaNumber(series: VaSeries, code: VaBankCode, newDigits: NewDigits): string {
  const own = series[code];
  if (own === undefined) throw new RefusalError(refuseField('bank_code', 'is not available'));
  return newNumber(own, newDigits);
}

/** The bank whose number this could be; undefined where no bank has it. */
export function bankOfVaNumber(series: VaSeries, number: string): VaBankCode | undefined {
  return VA_BANK_CODES.find((code) => {
    const own = series[code];
    return own !== undefined && isOfSeries(number, own);
  });
}

/**
 * Prefixes as operators write them: `bank=prefix/length`, separated by commas, for instance `BCA=39358/16,BRI=77777/18`. Banks
 * that are not named keep those of `others`. Undefined when it is none: a bank or length that is unknown, too few digits left, or
 * a number that could be of two banks.
 */
export function parseVaSeries(text: string, others: VaSeries): VaSeries | undefined {
  const series: Partial<Record<VaBankCode, NumberSeries>> = { ...others };
  const named = new Set<string>();
  for (const item of text.split(',').filter((one) => one.trim() !== '')) {
    const [, code = '', prefix = '', digits] = /^\s*([A-Z]+)\s*=\s*(\d+)\/(\d+)\s*$/.exec(item) ?? [];
    const length = Number(digits);
    if (!isVaBankCode(code) || named.has(code)) return undefined;
    if (length < LENGTH_MIN || length > LENGTH_MAX || length - prefix.length < OWN_DIGITS_MIN) return undefined;
    named.add(code);
    series[code] = { prefix, length };
  }
  return areDistinct(Object.values(series)) ? series : undefined;
}
