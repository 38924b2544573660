import { isPaymentMethod } from '@gerbang/core';
import { beyond, boundsFor, type OwnLimit } from '../payment-request/bounds.ts';
import { isOffered, type Method } from '../payment-request/method.ts';
import { narrowTo } from '../payment-request/request.ts';

/** The kind and the product. */
export const PAYMENT_LINK = 'payment-link';

export type PaymentLinkDetails = {
  kind: typeof PAYMENT_LINK;
  title: string;
  description: string;
  requiredCustomerDetail: boolean;
  successRedirectUrl: string;
  /** Codes of the methods it offers. */
  paymentMethods: readonly string[];
  paymentUrl: string;
  /** Who has held one of its uses lately; only of a link with a limited number of them. */
  holders: readonly LinkHolder[];
};

/** A session that has taken a use, and the address behind it, as limits count addresses. */
export type LinkHolder = { session: string; network: string; atMs: number };

export const asPaymentLink = narrowTo<PaymentLinkDetails>(PAYMENT_LINK);

/** The reference of a link: its ULID, which can't be guessed. Customers' pages go by it. */
export function linkReference(requestId: string): string {
  return `PL${requestId.slice(PAYMENT_LINK.length + 1)}`;
}

/** The payment request that a link's reference names; undefined when it is none. */
export function requestOfLinkReference(reference: string): string | undefined {
  return /^PL[0-9A-HJKMNP-TV-Z]{26}$/.test(reference) ? `${PAYMENT_LINK}:${reference.slice(2)}` : undefined;
}

const STANDARD_BOUNDS = { minSen: 1n, maxSen: 99_999_999_999_999n };
const MAX_USAGE_MAX = 255;

/** What of a link has rules; absent where it is not asked for. */
export type AskedLink = {
  amountSen: bigint | undefined;
  maxUsage: number | undefined;
  expiresAtMs: number | undefined;
  paymentMethods: readonly string[];
};

/** The first thing that is wrong, under the API's name of its field; undefined where nothing is (contract §5). */
export function checkLink(
  asked: AskedLink,
  rules: { limits: readonly OwnLimit[]; products: readonly string[]; methods: readonly Method[]; nowMs: number },
): { field: string; message: string } | undefined {
  const { amountSen, maxUsage, expiresAtMs, paymentMethods } = asked;
  const { limits, products, methods, nowMs } = rules;
  const amount = amountSen === undefined ? undefined : beyond(boundsFor(limits, PAYMENT_LINK, STANDARD_BOUNDS), amountSen);
  if (amount !== undefined) return { field: 'amount', message: amount };
  if (maxUsage !== undefined && (maxUsage < 1 || maxUsage > MAX_USAGE_MAX))
    return { field: 'max_usage', message: `must be from 1 to ${MAX_USAGE_MAX}` };
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) return { field: 'expired_at', message: 'must be in the future' };
  const unknown = paymentMethods.find((code) => !isPaymentMethod(code));
  if (unknown !== undefined) return { field: 'payment_methods', message: `${unknown} is not the code of a payment method` };
  const unavailable = paymentMethods.find((code) => !isOffered(methods, code, products));
  return unavailable === undefined ? undefined : { field: 'payment_methods', message: `${unavailable} is not available` };
}
