import { brandOfCard, cvvDigitsOf, hasCardNumber, isLuhn, isPlainText } from '@gerbang/core';
import type { Texts } from '../text/id.ts';

/** The fields of a card in their order on the page. */
export const CARD_FIELDS = ['card_number', 'card_expiry', 'card_cvv', 'card_holder_name'] as const;
export type CardField = (typeof CARD_FIELDS)[number];
export type CardErrors = Partial<Record<CardField, string>>;

/** What a customer has submitted. Number and security code live in it only as long as the request, and are in no page. */
export type SubmittedCard = Record<CardField, string> & { attempt: number };

/** What of it a page may show again: a date and a name, and nothing in them that could be a number. */
export type ShownCard = Pick<SubmittedCard, 'card_expiry' | 'card_holder_name'>;

const SUBMITTED_MAX = 120;
const JAKARTA_OFFSET_MS = 7 * 3_600_000;

/** A form's body: a missing field is empty, an absurdly long one is cut. */
export function readCard(body: string): SubmittedCard {
  const given = new URLSearchParams(body);
  const text = (field: CardField | 'attempt') => (given.get(field) ?? '').trim().slice(0, SUBMITTED_MAX);
  return {
    card_number: text('card_number').replace(/[\s-]/g, ''),
    card_expiry: text('card_expiry'),
    card_cvv: text('card_cvv'),
    card_holder_name: text('card_holder_name'),
    attempt: /^[1-9]\d{0,2}$/.test(text('attempt')) ? Number(text('attempt')) : 0,
  };
}

export function shownAgain({ card_expiry, card_holder_name }: ShownCard): ShownCard {
  return {
    card_expiry: expiryOf(card_expiry) ?? '',
    card_holder_name: /\d{5}/.test(card_holder_name) || hasCardNumber(card_holder_name) ? '' : card_holder_name,
  };
}

/** The card as the cards service takes it, or what is wrong with it, in the customer's language. No sentence has what was entered. */
export function checkCard(
  submitted: SubmittedCard,
  texts: Texts['card'],
  nowMs: number,
): { card: { number: string; expiry: string; cvv: string; holderName: string } } | { errors: CardErrors } {
  const { card_number: number, card_expiry, card_cvv: cvv, card_holder_name: holderName } = submitted;
  const expiry = expiryOf(card_expiry);
  const wrong: Record<CardField, string | undefined> = {
    card_number: numberProblem(number, texts),
    card_expiry: card_expiry === '' ? texts.expiryMissing : expiryProblem(expiry, texts, nowMs),
    card_cvv: cvvProblem(cvv, number, texts),
    card_holder_name: holderProblem(holderName, texts),
  };
  const errors: CardErrors = {};
  for (const field of CARD_FIELDS) {
    const problem = wrong[field];
    if (problem !== undefined) errors[field] = problem;
  }
  return expiry === undefined || Object.keys(errors).length > 0 ? { errors } : { card: { number, expiry, cvv, holderName } };
}

/** MM/YY of what people and browsers write: 7/29, 07/2029, 0729, 07 - 29. Undefined for anything else. */
function expiryOf(text: string): string | undefined {
  const [, month = '', year = ''] =
    /^(\d{1,2})\s*[/.-]\s*(?:20)?(\d{2})$/.exec(text) ?? /^(\d{2})(?:20)?(\d{2})$/.exec(text) ?? [];
  const isMonth = Number(month) >= 1 && Number(month) <= 12;
  return isMonth ? `${month.padStart(2, '0')}/${year}` : undefined;
}

function numberProblem(number: string, texts: Texts['card']): string | undefined {
  if (number === '') return texts.numberMissing;
  return /^\d{12,19}$/.test(number) && isLuhn(number) ? undefined : texts.numberWrong;
}

/** A card is good to the end of its month in Jakarta. */
function expiryProblem(expiry: string | undefined, texts: Texts['card'], nowMs: number): string | undefined {
  if (expiry === undefined) return texts.expiryWrong;
  const [month = 0, year = 0] = expiry.split('/').map(Number);
  return nowMs >= Date.UTC(2_000 + year, month) - JAKARTA_OFFSET_MS ? texts.expiryPast : undefined;
}

function cvvProblem(cvv: string, number: string, texts: Texts['card']): string | undefined {
  if (cvv === '') return texts.cvvMissing;
  const digits = cvvDigitsOf(brandOfCard(number));
  const isOne = /^\d+$/.test(cvv) && digits.includes(cvv.length);
  return isOne ? undefined : texts.cvvWrong(digits.join(` ${texts.or} `));
}

function holderProblem(name: string, texts: Texts['card']): string | undefined {
  if (name === '') return texts.holderMissing;
  if (hasCardNumber(name)) return texts.holderNumber;
  return name.length > 100 || /\p{Cc}/u.test(name) || !isPlainText(name) ? texts.holderWrong : undefined;
}
