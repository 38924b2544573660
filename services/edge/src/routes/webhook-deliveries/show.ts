import { deliverySchema, presentDelivery } from '@gerbang/present';
import { z } from 'zod';
import { idInPath } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';

/** Parameters of a path that names a delivery. */
export const deliveryParams = z.object({ id: idInPath('`id` of the delivery.') });

/** GET webhook-deliveries/{id} (contract §4). Refusals: those of the notifier for an id that it does not know. */
export const showDelivery = operation({
  id: 'showWebhookDelivery',
  summary: 'Show a webhook delivery',
  input: z.object({ params: deliveryParams }),
  data: deliverySchema,
  refusals: ['transaction_not_found'],
  async handle({ deliveries }, { caller, params: { id } }) {
    const { delivery } = await deliveries.getDelivery({ merchantId: caller.merchantId, id });
    if (delivery === undefined) throw new Error('the notifier answered no delivery');
    return { data: presentDelivery(delivery) };
  },
});
