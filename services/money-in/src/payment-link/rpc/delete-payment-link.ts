import type { DeletePaymentLinkRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { changePayable } from '../../payable/change.ts';
import { ownPayableToChange } from '../../payable/create.ts';
import { PAYMENT_LINK } from '../../payable/product.ts';
import { toPaymentLink } from '../message.ts';

/** Ends a link as inactive; one that has ended stays as it is. Refusals: product_not_allowed, those of the account, frozen, transaction_not_found. */
export async function deletePaymentLink(context: Context, { merchantId, accountId, id }: DeletePaymentLinkRequest) {
  const found = await ownPayableToChange(context, PAYMENT_LINK, { merchantId, accountId, publicId: String(id) });
  return { paymentLink: toPaymentLink(await changePayable(context, found, { type: 'delete' }, { announced: 'deleted' })) };
}
