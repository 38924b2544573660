import { roundToRupiah } from '../money.ts';
import type { DataObject } from './data-object.ts';

/** What a customer may add to the amount (tags 55 to 57); the words are those of contract §5. */
export type QrisTip =
  | { indicator: 'input' }
  | { indicator: 'fixed'; amountSen: bigint }
  /** Hundredths of a percent of the amount, 1 to 9999. */
  | { indicator: 'percentage'; basisPoints: number };

/**
 * A merchant account template, tags 26 to 51. Real codes have two: the acquirer's (26 to 45), under its own reversed domain and
 * with the merchant's PAN there, and the national one (51), under `ID.CO.QRIS.WWW` and with the NMID as `merchantId`.
 */
export type QrisAccount = {
  tag: string;
  globallyUniqueId: string;
  /** 9360, the acquirer's four digits, and the merchant's own: 16 to 19 digits. */
  pan?: string | undefined;
  merchantId?: string | undefined;
  /** UMI, UKE, UME, UBE and others: the size or kind of the merchant. */
  criteria?: string | undefined;
  others: readonly DataObject[];
};

/** Tag 62. `***` asks the customer's app for a value. */
export type QrisAdditionalData = {
  billNumber?: string | undefined;
  mobileNumber?: string | undefined;
  storeLabel?: string | undefined;
  loyaltyNumber?: string | undefined;
  referenceLabel?: string | undefined;
  customerLabel?: string | undefined;
  terminalLabel?: string | undefined;
  purpose?: string | undefined;
  consumerDataRequest?: string | undefined;
  others: readonly DataObject[];
};

/** Tag 64: the merchant's name in its own letters. */
export type QrisAlternateLanguage = {
  /** Two letters of ISO 639. */
  language: string;
  merchantName: string;
  merchantCity?: string | undefined;
  others: readonly DataObject[];
};

/**
 * A QRIS code: EMVCo merchant-presented mode, in rupiah and in Indonesia (contract §5). `others` are the objects that this
 * program does not know.
 */
export type Qris = {
  /** Tag 01: shown to many (11) or for one payment (12). */
  type: 'mpm-static' | 'mpm-dynamic';
  accounts: readonly QrisAccount[];
  /** ISO 18245, four digits. */
  merchantCategoryCode: string;
  amountSen?: bigint | undefined;
  tip?: QrisTip | undefined;
  merchantName: string;
  merchantCity: string;
  postalCode?: string | undefined;
  additionalData?: QrisAdditionalData | undefined;
  alternateLanguage?: QrisAlternateLanguage | undefined;
  others: readonly DataObject[];
};

/** The globally unique identifier by which a code is a QRIS code. */
export const QRIS_DOMAIN = 'ID.CO.QRIS.WWW';
/** Where new codes carry it (contract §5). */
export const NATIONAL_TAG = '51';

/** The national merchant id; undefined where the code carries none. */
export function nationalMerchantId({ accounts }: Qris): string | undefined {
  return accounts.find(({ globallyUniqueId }) => isNational(globallyUniqueId))?.merchantId;
}

/** The acquirer's number in the national numbering system (NNS): the first eight digits of the merchant's PAN. */
export function acquirerNns({ accounts }: Qris): string | undefined {
  return accounts.find(({ pan }) => pan !== undefined && /^9360\d{12,15}$/.test(pan))?.pan?.slice(0, 8);
}

/** Whether the identifier is that of QRIS, in any case. */
export function isNational(globallyUniqueId: string): boolean {
  return globallyUniqueId.toUpperCase() === QRIS_DOMAIN;
}

/** What a payment of the amount adds as tip, sen; `offeredSen` is what the customer has entered and counts with `input` alone. */
export function tipSen(tip: QrisTip | undefined, amountSen: bigint, offeredSen = 0n): bigint {
  switch (tip?.indicator) {
    case undefined:
      return 0n;
    case 'input':
      return offeredSen;
    case 'fixed':
      return tip.amountSen;
    case 'percentage':
      return roundToRupiah(amountSen * BigInt(tip.basisPoints), 10_000n);
    default:
      return tip satisfies never;
  }
}
