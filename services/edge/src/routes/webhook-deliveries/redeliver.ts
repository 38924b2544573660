import { presentDelivery } from '@gerbang/present';
import type { Handler } from '../../http/route.ts';

/** POST webhook-deliveries/{id}/redeliver: sends the event once more, with the same event id and body; 202 (contract §4). */
export const redeliver: Handler = async ({ deliveries }, { caller, params }) => {
  const { delivery } = await deliveries.redeliver({
    merchantId: caller.merchantId,
    clientId: caller.clientId,
    id: params.id ?? '',
  });
  if (delivery === undefined) throw new Error('the notifier answered no delivery');
  return { status: 202, data: presentDelivery(delivery) };
};
