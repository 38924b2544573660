import { deliverySchema, pageSchema, presentDelivery } from '@gerbang/present';
import { DeliveryStatus } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { z } from 'zod';
import { listQuery, page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';

const statuses = {
  pending: DeliveryStatus.PENDING,
  delivered: DeliveryStatus.DELIVERED,
  failed: DeliveryStatus.FAILED,
} as const;

const query = z.object({
  ...listQuery,
  status: z
    .enum(['pending', 'delivered', 'failed'], 'must be pending, delivered or failed')
    .transform((status) => statuses[status])
    .optional(),
});

/** GET webhook-deliveries (contract §4): newest first. Refusals: validation. */
export const listDeliveries = operation({
  id: 'listWebhookDeliveries',
  summary: 'List webhook deliveries',
  input: z.object({ query }),
  data: pageSchema(deliverySchema),
  links: {
    showWebhookDelivery: { id: '$response.body#/data/items/0/id' },
    redeliverWebhook: { id: '$response.body#/data/items/0/id' },
  },
  async handle({ deliveries }, { caller, query: { limit, cursor, status, from, to } }) {
    const found = await deliveries.listDeliveries({
      merchantId: caller.merchantId,
      limit,
      cursor,
      status: status ?? DeliveryStatus.UNSPECIFIED,
      ...(from !== undefined && { fromMs: from }),
      ...(to !== undefined && { toMs: to }),
    });
    return { data: page(found.deliveries.map(presentDelivery), found.nextCursor) };
  },
});
