import { brandOfCard } from './card-number.ts';
import { isLuhn } from './luhn.ts';

/** Text without control characters and bidirectional controls (contract §2), as the source of a regular expression. */
export const PLAIN_TEXT_PATTERN = '^[^\\u0000-\\u001F\\u007F\\u202A-\\u202E\\u2066-\\u2069]*$';
const PLAIN_TEXT = new RegExp(PLAIN_TEXT_PATTERN);

/** Groups of digits with blanks and dashes between them. */
const DIGIT_GROUPS = /\d+(?:[\s\p{Pd}]+\d+)*/gu;
const GROUP = /\d+/g;
const CARD_DIGITS_MIN = 13;
const CARD_DIGITS_MAX = 19;

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
  return brandOfCard(digits) !== 'OTHER' && isLuhn(digits);
}
