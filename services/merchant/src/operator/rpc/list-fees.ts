import type { FeeRule } from '@gerbang/core';
import type { ListFeesRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { Context } from '../../context.ts';
import { mustFind } from '../../merchant/change-merchant.ts';
import { toFeeMessage } from '../../merchant/message.ts';
import { field, parse } from '../input.ts';

/**
 * A merchant's fee schedule, all of it (FEES_MAX bounds it), in the order of product, channel and time. Refusals: validation,
 * merchant_not_found.
 */
export async function listFees(context: Context, request: ListFeesRequest) {
  const { merchantId } = parse({ merchantId: field.merchantId }, request);
  const { merchant } = await mustFind(context, merchantId);
  return { fees: merchant.fees.toSorted(inOrder).map(toFeeMessage) };
}

function inOrder(a: FeeRule, b: FeeRule): number {
  if (a.product !== b.product) return a.product < b.product ? -1 : 1;
  if (a.channel !== b.channel) return a.channel < b.channel ? -1 : 1;
  return a.effectiveFromMs - b.effectiveFromMs;
}
