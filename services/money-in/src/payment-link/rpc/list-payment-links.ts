import type { ListPaymentLinksRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { listPaymentRequests } from '../../payment-request/list.ts';
import { toPaymentLink } from '../message.ts';
import { PAYMENT_LINK } from '../payment-link.ts';

/** Newest first. Refusals: product_not_allowed, those of the account, validation (cursor). */
export async function listPaymentLinks(context: Context, { query, status }: ListPaymentLinksRequest) {
  const { items, nextCursor } = await listPaymentRequests(context, PAYMENT_LINK, query, status);
  return { paymentLinks: items.map(toPaymentLink), nextCursor };
}
