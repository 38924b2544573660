/** Prefixes and lengths of the cards that circulate, by brand. */
const BRAND_NUMBERS = {
  VISA: /^4(?:\d{12}|\d{15}|\d{18})$/,
  MASTERCARD: /^(?:5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12})$/,
  AMEX: /^3[47]\d{13}$/,
  JCB: /^35(?:2[89]|[3-8]\d)\d{12,15}$/,
  UNIONPAY: /^62\d{14,17}$/,
  DINERS: /^3(?:0[0-5]|[68]\d)\d{11}$/,
  DISCOVER: /^6(?:011|4[4-9]\d|5\d\d)\d{12,15}$/,
} as const;

/** Every brand, as the merchant's API names it. OTHER: by its digits the card is of none of the others. */
export const CARD_BRANDS = ['VISA', 'MASTERCARD', 'AMEX', 'JCB', 'UNIONPAY', 'DINERS', 'DISCOVER', 'OTHER'] as const;
export type CardBrand = (typeof CARD_BRANDS)[number];

/** The brand of a card, by the prefix and length of its number. */
export function brandOfCard(digits: string): CardBrand {
  return CARD_BRANDS.find((brand) => brand !== 'OTHER' && BRAND_NUMBERS[brand].test(digits)) ?? 'OTHER';
}

/** How many digits the security code of a brand may have. */
export function cvvDigitsOf(brand: CardBrand): readonly number[] {
  if (brand === 'OTHER') return [3, 4];
  return brand === 'AMEX' ? [4] : [3];
}

/** First six digits, six stars, last four (contract §7), however long the number is. */
export function maskCardNumber(digits: string): string {
  return `${digits.slice(0, 6)}******${digits.slice(-4)}`;
}
