import { brandOfCard, maskCardNumber } from './card-brand.ts';
import { isLuhn } from './luhn.ts';

/**
 * Groups of digits with blanks and dashes between them, the minus sign U+2212 and characters that are not seen (a soft hyphen, a
 * zero-width space) among these, and white space as JSON writes it, which is in texts that hold JSON.
 */
const DIGIT_GROUPS = /\d+(?:(?:[\s\p{Pd}\p{Cf}\u2212]|\\+(?:[nrtf]|u000b))+\d+)*/gu;
const NOT_ASCII = /[^\0-\x7f]/;
const DIGIT_NOT_ASCII = /(?!\d)\p{Nd}/gu;
const SECOND_HALF = /[\udc00-\udfff]/;
/** It joins digits like a blank, and takes the place of the second half of a digit. */
const FILLER = '\u200b';
const GROUP = /\d+/g;
const CARD_DIGITS_MIN = 13;
const CARD_DIGITS_MAX = 19;

/**
 * Words of letters and digits that are ids of ours, which now and then have a run of digits that looks like a card number: a
 * ULID, and hexadecimal ids and hashes.
 */
const ID = /^(?:[0-7][0-9A-HJKMNP-TV-Z]{25}|[0-9a-f]{16}|[0-9a-f]{24}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/;
/**
 * Hexadecimal ids of traces, spans and documents and the hashes of audit checkpoints: 40 in a million random ones begin or end
 * with what looks like a card number, and they have to be found again. Of the other ids nothing is lost: ULIDs of this century
 * begin with 0, and ObjectIds with a time that is no card's prefix.
 */
const KEPT_WHOLE = /^(?:[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{64})$/;
const LETTER = /[A-Za-z]/;
const WORD_BEFORE = /[0-9A-Za-z]*$/;
const WORD_AFTER = /^[0-9A-Za-z]*/;
/** Longer words are no ids; so much of a text is looked at around a number. */
const ID_CHARACTERS_MAX = 64;

/** Where a card number is in a text; `digits` has no blanks and dashes. */
type Found = { start: number; end: number; digits: string };

/**
 * Whether a text has a card number in it: a whole run of digits, blanks and dashes ignored, that is Luhn-valid and has a brand's
 * prefix and length (contract §2). Groups of digits before or after the number do not hide it, nor do fullwidth digits.
 */
export function hasCardNumber(text: string): boolean {
  return text.length >= CARD_DIGITS_MIN && !cardNumbersIn(text).next().done;
}

/** A stranger's text as merchants may get it: without control and bidirectional characters; empty where it has a card number. */
export function harmlessText(text: string): string {
  return hasCardNumber(text) ? '' : text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '');
}

/**
 * The text with its card numbers masked: the first six digits, six stars, the last four. Ids of ours with letters in them stay as
 * they are. For what is written about a request, never for its data.
 */
export function maskCardNumbers(text: string): string {
  if (text.length < CARD_DIGITS_MIN) return text;
  let masked = '';
  let from = 0;
  for (const { start, end, digits } of cardNumbersIn(text)) {
    if (isInId(text, start, end)) continue;
    masked += `${text.slice(from, start)}${maskCardNumber(digits)}`;
    // The last digit may have two halves.
    from = SECOND_HALF.test(text.charAt(end)) ? end + 1 : end;
  }
  return from === 0 ? text : masked + text.slice(from);
}

function* cardNumbersIn(text: string): Generator<Found, undefined> {
  for (const run of withAsciiDigits(text).matchAll(DIGIT_GROUPS)) {
    if (run[0].length < CARD_DIGITS_MIN) continue;
    const groups = [...run[0].matchAll(GROUP)].map((group) => ({ digits: group[0], start: run.index + group.index }));
    for (let first = 0; first < groups.length; first++) {
      const found = cardNumberAt(groups, first);
      if (found === undefined) continue;
      yield found;
      while ((groups[first + 1]?.start ?? found.end) < found.end) first++;
    }
  }
}

/** The text with digits that are compatible with ASCII's, like fullwidth ones, as these. It keeps its length. */
function withAsciiDigits(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  return text.replace(DIGIT_NOT_ASCII, (digit) => digit.normalize('NFKC').padEnd(digit.length, FILLER));
}

/** The card number that begins with a group of digits and ends with the same or a later one. */
function cardNumberAt(groups: readonly { digits: string; start: number }[], first: number): Found | undefined {
  let digits = '';
  for (const group of groups.slice(first, first + CARD_DIGITS_MAX)) {
    digits += group.digits;
    if (digits.length > CARD_DIGITS_MAX) return undefined;
    if (isCardNumber(digits)) {
      return { start: groups[first]?.start ?? 0, end: group.start + group.digits.length, digits };
    }
  }
  return undefined;
}

function isCardNumber(digits: string): boolean {
  return brandOfCard(digits) !== 'OTHER' && isLuhn(digits);
}

function isInId(text: string, start: number, end: number): boolean {
  const before = WORD_BEFORE.exec(text.slice(Math.max(0, start - ID_CHARACTERS_MAX), start))?.[0] ?? '';
  const after = WORD_AFTER.exec(text.slice(end, end + ID_CHARACTERS_MAX))?.[0] ?? '';
  const word = before + text.slice(start, end) + after;
  if (!LETTER.test(before + after) || !ID.test(word)) return false;
  return (before !== '' && after !== '') || KEPT_WHOLE.test(word);
}
