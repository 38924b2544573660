import type { FindPaymentLinkRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { findLink } from '../find.ts';
import { toPaymentLink } from '../message.ts';

/** A link as its page shows it before it is opened. Refusals: transaction_not_found. */
export async function findPaymentLink(context: Context, { reffNo }: FindPaymentLinkRequest) {
  return { paymentLink: toPaymentLink(await findLink(context, reffNo)) };
}
