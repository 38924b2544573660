import { RefusalError, refuse } from '@gerbang/core';
import type { GetQrisPaymentRequest } from '@gerbang/proto/gerbang/money_out/v1/qris_payment';
import type { Context } from '../../context.ts';
import { toMessage } from '../../transfer/message.ts';
import { isRefused } from '../../transfer/posting.ts';
import { QRIS_ISSUER } from '../content.ts';
import { findKnown } from '../find-known.ts';
import { presentInquiry } from '../quote.ts';

/**
 * The payment of a code by its reference; one that was only inquired is INITIATED. Refusals: product_not_allowed, those of the
 * account, transaction_not_found.
 */
export async function getQrisPayment(context: Context, request: GetQrisPaymentRequest) {
  const { merchantId, accountId } = request;
  await context.merchants.admitProduct(merchantId, QRIS_ISSUER);
  await context.merchants.account(merchantId, accountId);
  const known = await findKnown(context, request).catch((error: unknown) => {
    if (isRefused(error, ['duplicate_reference'])) return undefined;
    throw error;
  });
  // Of a code that the acquirer has not decoded yet there is nothing to tell.
  if (known === undefined || ('inquiry' in known && !known.inquiry.isAnswered)) {
    throw new RefusalError(refuse('transaction_not_found'));
  }
  return { transfer: 'transfer' in known ? toMessage(known.transfer) : await presentInquiry(context, known.inquiry) };
}
