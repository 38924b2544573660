import type { GetBindingRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { type Context, DIRECT_DEBIT } from '../../context.ts';
import { toBindingMessage } from '../message.ts';
import { findOwnBinding } from '../own.ts';

/** Refusals: product_not_allowed, transaction_not_found. */
export async function getBinding(context: Context, { merchantId, bindingId }: GetBindingRequest) {
  await context.merchants.admitProduct(merchantId, DIRECT_DEBIT);
  return { binding: toBindingMessage(await findOwnBinding(context, merchantId, bindingId)) };
}
