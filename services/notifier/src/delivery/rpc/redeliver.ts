import type { RedeliverRequest } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import type { Context } from '../../context.ts';
import { decide } from '../delivery.ts';
import { toMessage } from '../message.ts';
import { requireDelivery } from './get-delivery.ts';

/**
 * Has a webhook sent once more, at once, with the same id and body, whatever its status; a pending one keeps its schedule beside. The wish is durable
 * when this answers. Refusals: transaction_not_found.
 */
export async function redeliver(context: Context, { merchantId, id, clientId }: RedeliverRequest) {
  for (;;) {
    const current = await requireDelivery(context, merchantId, id);
    const events = decide(
      current.delivery.state,
      { type: 'redeliver', atMs: context.clock.now(), by: { clientId } },
      context.retryPolicy,
    );
    const after = await context.deliveries.apply(current, events);
    if (after === undefined) continue;
    context.log.info({ event_id: id, merchant_id: merchantId, client_id: clientId }, 'redelivery requested');
    context.puller.look(after.delivery.endpoint);
    return { delivery: toMessage(after.delivery) };
  }
}
