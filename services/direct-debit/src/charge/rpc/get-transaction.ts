import type { GetTransactionRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { type Context, DIRECT_DEBIT } from '../../context.ts';
import { toTransactionMessage } from '../message.ts';
import { findOwnCharge } from '../own.ts';

/** Refusals: product_not_allowed, transaction_not_found. */
export async function getTransaction(context: Context, { merchantId, transactionId }: GetTransactionRequest) {
  await context.merchants.admitProduct(merchantId, DIRECT_DEBIT);
  return { transaction: toTransactionMessage(await findOwnCharge(context, merchantId, transactionId)) };
}
