import { deliverySchema, presentDelivery } from '@gerbang/present';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { deliveryParams } from './show.ts';

/** POST webhook-deliveries/{id}/redeliver: sends the event once more, with the same event id and body; 202 (contract §4). */
export const redeliver = operation({
  id: 'redeliverWebhook',
  summary: 'Deliver a webhook once more',
  description: 'Sends the event again, with the same `X-Event-Id` and body.',
  input: z.object({ params: deliveryParams }),
  data: deliverySchema,
  status: 202,
  refusals: ['transaction_not_found'],
  async handle({ deliveries }, { caller: { merchantId, clientId }, params: { id } }) {
    const { delivery } = await deliveries.redeliver({ merchantId, clientId, id });
    if (delivery === undefined) throw new Error('the notifier answered no delivery');
    return { data: presentDelivery(delivery) };
  },
});
