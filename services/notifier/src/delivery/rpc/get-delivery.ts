import { isUlid, RefusalError, refuse } from '@gerbang/core';
import type { GetDeliveryRequest } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import type { Context } from '../../context.ts';
import type { StoredDelivery } from '../delivery.ts';
import { toMessage } from '../message.ts';

/** One webhook with its attempts. Refusals: transaction_not_found, also for another merchant's webhook (contract §2). */
export async function getDelivery(context: Context, { merchantId, id }: GetDeliveryRequest) {
  const { delivery } = await requireDelivery(context, merchantId, id);
  return { delivery: toMessage(delivery) };
}

/** The merchant's delivery. Refusals: transaction_not_found. */
export async function requireDelivery({ deliveries }: Context, merchantId: string, id: string): Promise<StoredDelivery> {
  const found = isUlid(id) ? await deliveries.find(merchantId, id) : undefined;
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  return found;
}
