import { DeliveryService, EventService, RedeliveryService } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { implement } from '@gerbang/rpc';
import type { Context } from './context.ts';
import { getDelivery } from './delivery/rpc/get-delivery.ts';
import { listDeliveries } from './delivery/rpc/list-deliveries.ts';
import { redeliver } from './delivery/rpc/redeliver.ts';
import { listFates } from './event/rpc/list-fates.ts';
import { redeliverMany } from './redelivery-run/rpc/redeliver-many.ts';
import { listUnreadable } from './unreadable-event/rpc/list-unreadable.ts';
import { replayEvents } from './unreadable-event/rpc/replay-events.ts';

/** All operations, and which services may call them. */
export function implementations(context: Context) {
  return [
    implement(
      DeliveryService,
      {
        listDeliveries: (request) => listDeliveries(context, request),
        getDelivery: (request) => getDelivery(context, request),
        redeliver: (request) => redeliver(context, request),
      },
      ['edge'],
    ),
    implement(RedeliveryService, { redeliverMany: (request) => redeliverMany(context, request) }, ['cli']),
    implement(
      EventService,
      {
        listUnreadable: (request) => listUnreadable(context, request),
        replayEvents: (request) => replayEvents(context, request),
        listFates: (request) => listFates(context, request),
      },
      ['cli'],
    ),
  ];
}
