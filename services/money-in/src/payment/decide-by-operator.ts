import { isRefusal, RefusalError, refuse, refuseField } from '@gerbang/core';
import type { Context } from '../context.ts';
import { advancePayment } from './advance.ts';
import { changePayment } from './change.ts';
import type { StoredPayment } from './document.ts';
import { decide } from './payment.ts';
import type { PaymentCommand } from './state.ts';

/** What an operator decides on, before it is decided. Refusals: validation, transaction_not_found. */
export async function findToDecide(context: Context, { operator, id }: { operator: string; id: string }): Promise<StoredPayment> {
  if (operator === '') throw new RefusalError(refuseField('operator', 'is required'));
  const found = await context.payments.find(id, { linearizable: true });
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  return found;
}

/**
 * Into the audit log first, then decided and carried out. A decision that stands already is carried on. Refusals: bad_request,
 * unavailable.
 */
export async function decideByOperator(
  context: Context,
  suspended: StoredPayment,
  { operator, name, command, after }: { operator: string; name: string; command: PaymentCommand; after: Record<string, string> },
): Promise<StoredPayment> {
  const events = decide(suspended.state, command, context.clock.now());
  if (isRefusal(events)) throw new RefusalError(events);
  const before = { status: suspended.state.status, rail: suspended.order.rail };
  // The log's times are real ones.
  await context.audit.append({ operator, command: name, target: `payment:${suspended.order.id}`, before, after }, Date.now());
  return advancePayment(context, (await changePayment(context, suspended, command)).payment);
}
