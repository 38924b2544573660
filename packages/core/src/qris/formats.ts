import { parseAmount } from '../money.ts';
import { characters, problem } from './data-object.ts';

/** How a value is written: at most so many characters, matching the pattern, else it "is not …". */
export type Format = { max: number; pattern: RegExp; kind: string };

/** EMVCo's common character set: printable ASCII. */
const ANS = /^[\x20-\x7e]+$/;
/** Any text that can be shown. */
const TEXT = /^[^\p{Cc}\p{Cs}]+$/u;

export const ans = (max: number): Format => ({ max, pattern: ANS, kind: 'printable ASCII' });
export const text = (max: number): Format => ({ max, pattern: TEXT, kind: 'text' });
export const digits = (min: number, max: number): Format => ({
  max,
  pattern: new RegExp(`^\\d{${min},${max}}$`),
  kind: min === max ? `${min} digits` : `${min} to ${max} digits`,
});
export const word = (value: string): Format => ({ max: 99, pattern: new RegExp(`^${value}$`), kind: value });

/** The objects of the first level that have a format of their own; amounts and templates are read by functions. */
export const FORMATS: Readonly<Record<string, Format>> = {
  '00': word('01'),
  '01': { max: 2, pattern: /^1[12]$/, kind: '11 (static) or 12 (dynamic)' },
  '52': digits(4, 4),
  '53': { max: 3, pattern: /^360$/, kind: '360 (IDR)' },
  '55': { max: 2, pattern: /^0[123]$/, kind: '01, 02 or 03' },
  '58': word('ID'),
  // EMVCo wants the common character set here. Codes in circulation do have letters beyond it, counted as characters, which
  // leaves no doubt about what they say, so they are read; written they are not.
  '59': text(25),
  '60': text(15),
  '61': ans(10),
};

/** Throws a refusal unless the value has the format. */
export function checkFormat(tag: string, value: string, { max, pattern, kind }: Format): void {
  if (characters(value) > max) throw problem(tag, `is longer than ${max} characters`);
  if (!pattern.test(value)) throw problem(tag, `is not ${kind}`);
}

const AMOUNT_CHARACTERS_MAX = 13;

/** An amount as EMVCo writes it, in sen: digits with at most two decimals, perhaps a bare decimal mark, more than zero. */
export function readAmount(tag: string, value: string): bigint {
  if (value.length > AMOUNT_CHARACTERS_MAX) throw problem(tag, `is longer than ${AMOUNT_CHARACTERS_MAX} characters`);
  const sen = parseAmount(value.replace(/^(\d+)\.$/, '$1'));
  if (sen === undefined) throw problem(tag, 'is not an amount of rupiah');
  return sen;
}

/** Whole rupiah without decimals, as Indonesian codes have it; two decimals where there are sen. */
export function writeAmount(sen: bigint): string {
  const [rupiah, rest] = [sen / 100n, sen % 100n];
  return rest === 0n ? String(rupiah) : `${rupiah}.${String(rest).padStart(2, '0')}`;
}

/** A percentage in hundredths of a percent: "3", "3.", "03.5", "03.50", more than zero and less than 100. */
export function readPercentage(tag: string, value: string): number {
  const [, whole, fraction = ''] = /^(\d{1,2})(?:\.(\d{0,2}))?$/.exec(value) ?? [];
  const basisPoints = Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
  if (whole === undefined || basisPoints === 0) throw problem(tag, 'is not a percentage from 00.01 to 99.99');
  return basisPoints;
}

/** The same, with as few digits as say it: "3" or "3.05". */
export function writePercentage(basisPoints: number): string {
  const fraction = basisPoints % 100;
  const whole = Math.trunc(basisPoints / 100);
  return fraction === 0 ? String(whole) : `${whole}.${String(fraction).padStart(2, '0')}`;
}
