import type { ListPaymentLinkHistoriesRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { PAYMENT_LINK } from '../../payment-link/payment-link.ts';
import { listPaymentRequests } from '../../payment-request/list.ts';
import { toHistory } from '../message.ts';
import { SESSION } from '../session.ts';

/**
 * Newest first, of all links of the account or of one. Refusals: product_not_allowed, those of the account, validation (cursor).
 */
export async function listPaymentLinkHistories(
  context: Context,
  { query, status, paymentLinkId }: ListPaymentLinkHistoriesRequest,
) {
  let linkId: string | undefined;
  if (paymentLinkId !== undefined) {
    const found = await context.paymentRequests.findByPublicId(PAYMENT_LINK, query?.accountId ?? '', String(paymentLinkId));
    // A link that is not there has no histories.
    linkId = found?.order.id ?? '';
  }
  const { items, nextCursor } = await listPaymentRequests(context, SESSION, query, status, linkId);
  return { paymentLinkHistories: items.map(toHistory), nextCursor };
}
