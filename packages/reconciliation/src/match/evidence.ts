import type { HistoryRow } from '@gerbang/rails';
import type { OurPayment } from './payment.ts';

/** A key says nothing when it is shorter. */
const KEY_LENGTH_MIN = 5;
/** The rest of a key that the end of a remark was cut from. */
const CUT_LENGTH_MIN = 6;
const TEXT_LENGTH_MIN = 4;
/** A number this long is of an account, a phone or a payment. */
const NUMBER = /\d{6,}/;

/** How well a row's remark fits a payment; the higher the better. */
export const EVIDENCE = { reference: 100, key: 10, cutKey: 5, text: 1 } as const;

/** A payment's keys and text as they are compared: capital letters and digits. */
export type Clues = { keys: readonly string[]; text: string; railReference: string };

/** A row's remark as it is compared. */
export type Remark = {
  words: readonly string[];
  /** The last word, which the rail may have cut. */
  last: string;
  /** All of it without what is between the words. */
  whole: string;
  /** It names a number: when that is none of a payment's keys, the row is of another payment. */
  hasNumber: boolean;
  railTransactionId: string;
  /** Empty where the rail does not tell it. */
  ourReference: string;
};

export function cluesOf({ keys, text, railReference }: Pick<OurPayment, 'keys' | 'text' | 'railReference'>): Clues {
  const compared = keys.map(normalize).filter((key) => key.length >= KEY_LENGTH_MIN);
  return { keys: [...new Set(compared)], text: normalize(text), railReference };
}

export function remarkOf({
  remark,
  railTransactionId,
  ourReference = '',
}: Pick<HistoryRow, 'remark' | 'railTransactionId' | 'ourReference'>): Remark {
  const words = remark
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '');
  return {
    words,
    last: words.at(-1) ?? '',
    whole: words.join(''),
    hasNumber: words.some((word) => NUMBER.test(word)),
    railTransactionId,
    ourReference: normalize(ourReference),
  };
}

/**
 * How much speaks for a row being a payment, amount and time aside; 0: nothing, but nothing against it either; undefined: the
 * row names another payment.
 */
export function evidenceFor(clues: Clues, remark: Remark): number | undefined {
  const { railReference, keys, text } = clues;
  if (remark.ourReference !== '') return keys.includes(remark.ourReference) ? EVIDENCE.reference : undefined;
  if (railReference !== '' && railReference === remark.railTransactionId) return EVIDENCE.reference;
  const found = keys.reduce((sum, key) => sum + keyEvidence(key, remark), 0);
  const said = hasText(text, remark.whole) ? EVIDENCE.text : 0;
  if (found === 0 && said === 0 && remark.hasNumber) return undefined;
  return found + said;
}

/** The words by which a payment's key may be found in a remark: itself, and how it begins. */
export function beginningOf(word: string): string | undefined {
  return word.length >= CUT_LENGTH_MIN ? word.slice(0, CUT_LENGTH_MIN) : undefined;
}

function keyEvidence(key: string, { words, last }: Remark): number {
  if (words.includes(key)) return EVIDENCE.key;
  return last.length >= CUT_LENGTH_MIN && key.startsWith(last) ? EVIDENCE.cutKey : 0;
}

/** A remark that is cut may end with the beginning of the text. */
function hasText(text: string, whole: string): boolean {
  if (text.length < TEXT_LENGTH_MIN) return false;
  if (whole.includes(text)) return true;
  for (let length = text.length - 1; length >= TEXT_LENGTH_MIN; length--) if (whole.endsWith(text.slice(0, length))) return true;
  return false;
}

function normalize(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}
