import type { ListQrisRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { listPayables } from '../../payable/list.ts';
import { QRIS } from '../../payable/product.ts';
import { toQrisTransaction } from '../message.ts';

/** Newest first. Refusals: product_not_allowed, those of the account, validation (cursor). */
export async function listQris(context: Context, { query, status }: ListQrisRequest) {
  const { page, nextCursor } = await listPayables(context, QRIS, query, status);
  const nowMs = context.clock.now();
  return { qrisTransactions: page.map((payable) => toQrisTransaction(payable, nowMs)), nextCursor };
}
