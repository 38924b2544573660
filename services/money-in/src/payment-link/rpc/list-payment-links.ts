import type { ListPaymentLinksRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { listPayables } from '../../payable/list.ts';
import { PAYMENT_LINK } from '../../payable/product.ts';
import { toPaymentLink } from '../message.ts';

/** Newest first. Refusals: product_not_allowed, those of the account, validation (cursor). */
export async function listPaymentLinks(context: Context, { query, status }: ListPaymentLinksRequest) {
  const { page, nextCursor } = await listPayables(context, PAYMENT_LINK, query, status);
  return { paymentLinks: page.map(toPaymentLink), nextCursor };
}
