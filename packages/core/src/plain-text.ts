import { isLuhn } from './luhn.ts';

/** Text without control characters and bidirectional controls (contract §2), as the source of a regular expression. */
export const PLAIN_TEXT_PATTERN = '^[^\\u0000-\\u001F\\u007F\\u202A-\\u202E\\u2066-\\u2069]*$';
const PLAIN_TEXT = new RegExp(PLAIN_TEXT_PATTERN);

/** Groups of digits with blanks and dashes between them. */
const DIGIT_GROUPS = /\d+(?:[\s\p{Pd}]+\d+)*/gu;
const GROUP = /\d+/g;
const CARD_DIGITS_MIN = 13;
const CARD_DIGITS_MAX = 19;

/** Prefixes and lengths of the cards that circulate, by brand. */
const BRANDS: readonly { brand: string; number: RegExp }[] = [
  { brand: 'Visa', number: /^4(?:\d{12}|\d{15}|\d{18})$/ },
  { brand: 'Mastercard', number: /^(?:5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12})$/ },
  { brand: 'American Express', number: /^3[47]\d{13}$/ },
  { brand: 'JCB', number: /^35(?:2[89]|[3-8]\d)\d{12,15}$/ },
  { brand: 'UnionPay', number: /^62\d{14,17}$/ },
  { brand: 'Diners Club', number: /^3(?:0[0-5]|[68]\d)\d{11}$/ },
  { brand: 'Discover', number: /^6(?:011|4[4-9]\d|5\d\d)\d{12,15}$/ },
];

/** Whether a text has neither control characters nor bidirectional controls (contract §2). */
export function isPlainText(text: string): boolean {
  return PLAIN_TEXT.test(text);
}

/**
 * Whether a text has a card number in it: digits, blanks and dashes ignored, that are Luhn-valid and have a brand's prefix and
 * length (contract §2). Groups of digits before or after the number do not hide it.
 */
export function hasCardNumber(text: string): boolean {
  if (text.length < CARD_DIGITS_MIN) return false;
  for (const [run] of text.matchAll(DIGIT_GROUPS)) {
    const groups = run.match(GROUP) ?? [];
    for (let first = 0; first < groups.length; first++) {
      let digits = '';
      for (let last = first; last < groups.length && digits.length <= CARD_DIGITS_MAX; last++) {
        digits += groups[last] ?? '';
        if (isCardNumber(digits)) return true;
      }
    }
  }
  return false;
}

function isCardNumber(digits: string): boolean {
  return BRANDS.some(({ number }) => number.test(digits)) && isLuhn(digits);
}
