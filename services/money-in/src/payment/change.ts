import { isRefusal, RefusalError } from '@gerbang/core';
import type { EventType } from '@gerbang/present';
import { type NewEvent, retryConflicts } from '@gerbang/store';
import type { Context } from '../context.ts';
import type { StoredPayment } from './document.ts';
import type { PaymentOrder } from './order.ts';
import { decide } from './payment.ts';
import type { PaymentCommand } from './state.ts';

/** The payment as it now stands, and whether this call has changed it: only then does the caller count and log the change. */
export type Changed = { payment: StoredPayment; isChanged: boolean };

/**
 * One step of a payment on its way. Where another replica has gone on with it meanwhile, that replica's decision stands, and this
 * gives the payment as it now is. Refusals: those of `decide`.
 */
export async function takeStep(context: Context, payment: StoredPayment, command: PaymentCommand): Promise<Changed> {
  const changed = await decideOn(context, payment, command);
  return changed ?? { payment: await mustFind(context, payment.order.id), isChanged: false };
}

/**
 * A decision that comes from outside: where another replica has written meanwhile, it is decided anew on what is there now.
 * `order`: what is known anew of the payment. Refusals: those of `decide`, unavailable.
 */
export function changePayment(
  context: Context,
  payment: StoredPayment,
  command: PaymentCommand,
  order?: PaymentOrder,
): Promise<Changed> {
  return retryConflicts<StoredPayment, Changed>({
    first: payment,
    read: () => mustFind(context, payment.order.id),
    write: (current) => decideOn(context, current, command, order),
  });
}

/** Undefined when the payment has changed meanwhile. */
async function decideOn(
  context: Context,
  payment: StoredPayment,
  command: PaymentCommand,
  order?: PaymentOrder,
): Promise<Changed | undefined> {
  const nowMs = context.clock.now();
  const events = decide(payment.state, command, nowMs);
  if (isRefusal(events)) throw new RefusalError(events);
  if (events.length === 0) return { payment, isChanged: false };
  const published = command.type === 'pay' ? paidEvents(context, payment, nowMs) : [];
  const written = await context.payments.apply(payment, events, { nowMs, published, order });
  return written && { payment: written, isChanged: true };
}

/** A payment that is a resource of its own has an event of its own; what else is paid publishes that itself. */
function paidEvents({ kinds }: Context, payment: StoredPayment, nowMs: number): NewEvent<EventType<'money-in'>>[] {
  const { requestId, paidNumber } = payment.order;
  const ownPayments = paidNumber === undefined ? undefined : kinds.ofId(requestId).ownPayments;
  return ownPayments === undefined ? [] : [{ ...ownPayments.paidEvent(payment), schema: 1, atMs: nowMs }];
}

async function mustFind(context: Context, id: string): Promise<StoredPayment> {
  const found = await context.payments.find(id, { linearizable: true });
  if (found === undefined) throw new Error(`payment ${id} has vanished`);
  return found;
}
