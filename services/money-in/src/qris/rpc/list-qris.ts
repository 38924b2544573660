import type { ListQrisRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { listPaymentRequests } from '../../payment-request/list.ts';
import { reconciledCodes } from '../../reconciliation/qris.ts';
import { toQrisTransaction } from '../message.ts';
import { QRIS } from '../qris.ts';

/** Newest first. Refusals: product_not_allowed, those of the account, validation (cursor). */
export async function listQris(context: Context, { query, status }: ListQrisRequest) {
  const { items, nextCursor } = await listPaymentRequests(context, QRIS, query, status);
  const reconciled = await reconciledCodes(context, items);
  const nowMs = context.clock.now();
  return { qrisTransactions: items.map((item) => toQrisTransaction(item, nowMs, reconciled.get(item.order.id))), nextCursor };
}
