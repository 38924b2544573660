import { inspect } from 'node:util';
import { brandOfCard, type CardBrand, JAKARTA_OFFSET_MS, maskCardNumber, type Unstorable, type unstorable } from '@gerbang/core';

/** What is printed on a card. `expiry` is MM/YY. A card that was kept has no security code any more. */
export type CardFields = { number: string; expiry: string; cvv: string | undefined; holderName: string };

const HIDDEN = '[card]';

/**
 * A card for the one call that needs it. No property, JSON, BSON or log line of it has a digit, and no stored type can have one
 * (`Storable`): only `reveal` gives the fields, and only an adapter of an acquirer calls it.
 */
export class CardData implements Unstorable {
  declare readonly [unstorable]: true;
  readonly #fields: CardFields;

  constructor(fields: CardFields) {
    this.#fields = fields;
  }

  /** For the request to the acquirer, and nothing else. */
  reveal(): CardFields {
    return this.#fields;
  }

  get masked(): string {
    return maskCardNumber(this.#fields.number);
  }

  get brand(): CardBrand {
    return brandOfCard(this.#fields.number);
  }

  /** Whether its number begins so: what terms by BIN, of six or eight digits, are looked up by. */
  hasPrefix(digits: string): boolean {
    return this.#fields.number.startsWith(digits);
  }

  /** Whether the month of its expiry is over in Jakarta. */
  isExpired(nowMs: number): boolean {
    return nowMs >= this.expiresAtMs;
  }

  /** When the month of its expiry is over in Jakarta. */
  get expiresAtMs(): number {
    const [month, year] = this.#fields.expiry.split('/').map(Number);
    if (month === undefined || year === undefined) return 0;
    return Date.UTC(2_000 + year, month) - JAKARTA_OFFSET_MS;
  }

  toJSON(): string {
    return HIDDEN;
  }

  toString(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
