import { presentDelivery } from '@gerbang/present';
import { DeliveryStatus } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { z } from 'zod';
import { listQuery, page } from '../../http/list-query.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';

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
export const listDeliveries: Handler = async ({ deliveries }, call) => {
  const { limit, cursor, status, from, to } = validate(query, call.query);
  const found = await deliveries.listDeliveries({
    merchantId: call.caller.merchantId,
    limit,
    cursor,
    status: status ?? DeliveryStatus.UNSPECIFIED,
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
  });
  return { data: page(found.deliveries.map(presentDelivery), found.nextCursor) };
};
