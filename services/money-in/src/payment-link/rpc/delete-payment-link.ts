import type { DeletePaymentLinkRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { changePaymentRequest } from '../../payment-request/change.ts';
import { ownRequestToChange } from '../../payment-request/create.ts';
import { toPaymentLink } from '../message.ts';
import { PAYMENT_LINK } from '../payment-link.ts';

/**
 * Ends a link as inactive; one that has ended stays as it is. Refusals: product_not_allowed, those of the account, frozen,
 * transaction_not_found.
 */
export async function deletePaymentLink(context: Context, { merchantId, accountId, id }: DeletePaymentLinkRequest) {
  const found = await ownRequestToChange(context, PAYMENT_LINK, { merchantId, accountId, publicId: String(id) });
  const { request: changed } = await changePaymentRequest(context, found, { type: 'delete' }, { event: 'deleted' });
  return { paymentLink: toPaymentLink(changed) };
}
