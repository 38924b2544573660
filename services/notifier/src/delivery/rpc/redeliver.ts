import type { RedeliverRequest } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { retryConflicts } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { decide } from '../delivery.ts';
import { toMessage } from '../message.ts';
import { requireDelivery } from './get-delivery.ts';

/**
 * Requests that a webhook is sent once more, at once, with the same id and body, in any status. A pending one also keeps its
 * schedule. The request is durable when this answers. Refusals: transaction_not_found, unavailable.
 */
export async function redeliver(context: Context, { merchantId, id, clientId }: RedeliverRequest) {
  const { clock, deliveries, log, puller, retryPolicy } = context;
  const { delivery } = await retryConflicts({
    read: () => requireDelivery(context, merchantId, id),
    write(current) {
      const command = { type: 'redeliver', atMs: clock.now(), requestedBy: { clientId } } as const;
      return deliveries.apply(current, decide(current.delivery.state, command, retryPolicy));
    },
  });
  log.info({ event_id: id, merchant_id: merchantId, client_id: clientId }, 'redelivery requested');
  puller.check(delivery.endpoint);
  return { delivery: toMessage(delivery) };
}
