import type { GetTopupRequest } from '@gerbang/proto/gerbang/money_out/v1/ewallet_topup';
import type { Context } from '../../context.ts';
import { toMessage } from '../../transfer/message.ts';
import { getTransfer } from '../../transfer/read.ts';

/** One top-up by its reference number. Refusals: product_not_allowed, those of the account, transaction_not_found. */
export async function getTopup(context: Context, { merchantId, accountId, referenceNumber }: GetTopupRequest) {
  const by = { case: 'referenceNumber', value: referenceNumber } as const;
  return { transfer: toMessage(await getTransfer(context, context.products.ewalletTopup, { merchantId, accountId, by })) };
}
