import { presentDelivery } from '@gerbang/present';
import type { Handler } from '../../http/route.ts';

/** GET webhook-deliveries/{id} (contract §4). Refusals: those of the notifier for an id that it does not know. */
export const showDelivery: Handler = async ({ deliveries }, { caller, params }) => {
  const { delivery } = await deliveries.getDelivery({ merchantId: caller.merchantId, id: params.id ?? '' });
  if (delivery === undefined) throw new Error('the notifier answered no delivery');
  return { data: presentDelivery(delivery) };
};
