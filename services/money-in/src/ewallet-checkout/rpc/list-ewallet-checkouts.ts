import type { ListEwalletCheckoutsRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { listPaymentRequests } from '../../payment-request/list.ts';
import { EWALLET_CHECKOUT } from '../ewallet-checkout.ts';
import { toEwalletCheckout } from '../message.ts';

/** Newest first. Refusals: product_not_allowed, those of the account, validation (cursor). */
export async function listEwalletCheckouts(context: Context, { query, status }: ListEwalletCheckoutsRequest) {
  const { items, nextCursor } = await listPaymentRequests(context, EWALLET_CHECKOUT, query, status);
  return { ewalletCheckouts: items.map(toEwalletCheckout), nextCursor };
}
