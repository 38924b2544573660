import { narrowTo } from '../payment-request/request.ts';

/** The kind, the product and the acquirer's rail. */
export const QRIS = 'qris';

/** What a code asks for on top of its amount. `value`: sen of a fixed tip, hundredths of a percent of a percentage. */
export type Tip = { indicator: 'none' | 'fixed' | 'percentage' | 'input'; value: bigint };

export type QrisDetails = {
  kind: typeof QRIS;
  /** The payload that customers scan. */
  qrData: string;
  tip: Tip;
  acquirerName: string;
  acquirerNns: string;
};

export const asQris = narrowTo<QrisDetails>(QRIS);

/**
 * The QRIS prefix of transaction ids (merchant-api.md) before the request's own ULID: unique, and what the acquirer knows the
 * code by.
 */
export function qrisReference(requestId: string): string {
  return `66${requestId.slice(QRIS.length + 1)}`;
}

/** The payment request that a reference names; undefined when it is none. */
export function requestOfQrisReference(reference: string): string | undefined {
  return /^66[0-9A-HJKMNP-TV-Z]{26}$/.test(reference) ? `${QRIS}:${reference.slice(2)}` : undefined;
}
