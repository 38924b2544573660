import { isRefusal, RefusalError } from '@gerbang/core';
import type { Context } from '../context.ts';
import { announcePaid } from './announce.ts';
import { decide, figuresOf, type PaymentCommand } from './payment.ts';
import { RESUME_AFTER_MS } from './schedule.ts';
import type { StoredPayment } from './stored-payment.ts';

/**
 * Decides and writes; where somebody else has written meanwhile, the payment as it now stands. Once paid its timer is its settlement; until then it is taken
 * up again should this process die.
 */
export async function changePayment(context: Context, payment: StoredPayment, command: PaymentCommand): Promise<StoredPayment> {
  const nowMs = context.clock.now();
  const events = decide(payment.state, command, nowMs);
  if (isRefusal(events)) throw new RefusalError(events);
  if (events.length === 0) return payment;
  const paid = command.type === 'pay';
  const written = await context.payments.apply(payment, events, {
    nowMs,
    nextDueMs: nextDueMs(payment, command, nowMs),
    published: paid ? announcePaid(payment, nowMs) : [],
  });
  if (written !== undefined) return written;
  const again = await context.payments.find(payment.order.id, { linearizable: true });
  if (again === undefined) throw new Error(`payment ${payment.order.id} has vanished`);
  return again;
}

function nextDueMs({ state }: StoredPayment, { type }: PaymentCommand, nowMs: number): number | undefined {
  switch (type) {
    case 'pay':
      return figuresOf(state).settleAtMs;
    case 'accept':
    case 'reject':
    case 'credit':
    case 'refund':
      return nowMs + RESUME_AFTER_MS;
    case 'suspend':
    case 'settle':
    case 'finish-credit':
    case 'finish-refund':
      return undefined;
    default:
      return type satisfies never;
  }
}
