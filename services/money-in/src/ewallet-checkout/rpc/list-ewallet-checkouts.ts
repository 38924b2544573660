import type { ListEwalletCheckoutsRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { listPayables } from '../../payable/list.ts';
import { EWALLET_CHECKOUT } from '../../payable/product.ts';
import { toEwalletCheckout } from '../message.ts';

/** Newest first. Refusals: product_not_allowed, those of the account, validation (cursor). */
export async function listEwalletCheckouts(context: Context, { query, status }: ListEwalletCheckoutsRequest) {
  const { page, nextCursor } = await listPayables(context, EWALLET_CHECKOUT, query, status);
  return { ewalletCheckouts: page.map(toEwalletCheckout), nextCursor };
}
