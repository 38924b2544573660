import { deductFee } from '@gerbang/core';
import { feeRulesOf } from '@gerbang/neighbours';
import { CARD, type Context } from '../context.ts';
import { PAYMENT_LINK } from './product.ts';
import type { FeeBreakdown, PaymentOrder } from './state.ts';

/** How far the acquirer's time may be from ours, before the order and after now. */
const EARLIEST_MS = 60_000;
const LATEST_MS = 10 * 60_000;

/** The fee and MDR of a payment by its merchant's fee schedule when it was authorised; the channel is the brand. */
export async function feesFor(
  { merchants }: Pick<Context, 'merchants'>,
  { merchantId, brand, amountSen, link }: PaymentOrder,
  authorisedAtMs: number,
): Promise<FeeBreakdown> {
  const rules = feeRulesOf(await merchants.profile(merchantId));
  // As a link where the merchant has any fee for links, as money-in charges other methods.
  const isLink = link !== undefined && rules.some(({ product }) => product === PAYMENT_LINK);
  const charged = isLink ? { product: PAYMENT_LINK, channel: 'CARD' } : { product: CARD, channel: brand };
  const charge = { ...charged, amountSen, nowMs: authorisedAtMs };
  const { feeSen, netSen, vendorFeeSen, basisPoints } = deductFee(rules, charge);
  return { feeSen, netSen, vendorFeeSen, basisPoints };
}

/** The acquirer's time of the authorisation, unless that can't be. */
export function believableMs(authorisedAtMs: number | undefined, { createdAtMs }: PaymentOrder, nowMs: number): number {
  if (authorisedAtMs === undefined) return nowMs;
  return authorisedAtMs < createdAtMs - EARLIEST_MS || authorisedAtMs > nowMs + LATEST_MS ? nowMs : authorisedAtMs;
}
