import { DeliveryService, EventService, RedeliveryService } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { implement } from '@gerbang/rpc';
import { implementForOperators, SUPPORT, VIEWERS } from '@gerbang/service/operators';
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
    implementForOperators(context.gate, RedeliveryService, {
      redeliverMany: { roles: SUPPORT, handler: (request, call) => redeliverMany(context, request, call) },
    }),
    implementForOperators(context.gate, EventService, {
      listUnreadable: { roles: VIEWERS, handler: (request) => listUnreadable(context, request) },
      replayEvents: { roles: SUPPORT, handler: (request, call) => replayEvents(context, request, call) },
      listFates: { roles: VIEWERS, handler: (request) => listFates(context, request) },
    }),
  ];
}
