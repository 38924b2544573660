import type { ListCardlessWithdrawalsRequest } from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import { TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Context } from '../../context.ts';
import { toMessage } from '../../transfer/message.ts';
import { listTransfers } from '../../transfer/read.ts';
import { stateFilterOf } from '../message.ts';

/** Withdrawals without their codes, newest first. Refusals: validation (cursor), product_not_allowed, those of the account. */
export async function listCardlessWithdrawals(context: Context, { status, ...request }: ListCardlessWithdrawalsRequest) {
  const { items, nextCursor } = await listTransfers(context, context.products.cardlessWithdrawal, {
    ...request,
    status: TransferStatus.UNSPECIFIED,
    state: stateFilterOf(status),
  });
  return { transfers: items.map(toMessage), nextCursor };
}
