import type { ListTransfersRequest } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Context } from '../../context.ts';
import { toMessage } from '../../transfer/message.ts';
import { listTransfers as list } from '../../transfer/read.ts';

/** Disbursements, newest first. Refusals: validation (cursor), product_not_allowed, those of the account. */
export async function listTransfers(context: Context, request: ListTransfersRequest) {
  const { items, nextCursor } = await list(context, context.products.disbursement, request);
  return { transfers: items.map(toMessage), nextCursor };
}
