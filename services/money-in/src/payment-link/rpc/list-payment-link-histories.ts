import type { ListPaymentLinkHistoriesRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { listPayables } from '../../payable/list.ts';
import { PAYMENT_LINK, PAYMENT_LINK_HISTORY } from '../../payable/product.ts';
import { toHistory } from '../message.ts';

/** Newest first, of all links of the account or of one. Refusals: product_not_allowed, those of the account, validation (cursor). */
export async function listPaymentLinkHistories(
  context: Context,
  { query, status, paymentLinkId }: ListPaymentLinkHistoriesRequest,
) {
  let link: string | undefined;
  if (paymentLinkId !== undefined) {
    const found = await context.payables.findByPublicId(PAYMENT_LINK, query?.accountId ?? '', String(paymentLinkId));
    // A link that is not there has no histories.
    link = found?.order.id ?? '';
  }
  const { page, nextCursor } = await listPayables(context, PAYMENT_LINK_HISTORY, query, status, link);
  return { paymentLinkHistories: page.map(toHistory), nextCursor };
}
