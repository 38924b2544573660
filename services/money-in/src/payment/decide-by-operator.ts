import { formatSen, isRefusal, RefusalError, refuse } from '@gerbang/core';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../context.ts';
import { advancePayment } from './advance.ts';
import { changePayment } from './change.ts';
import type { StoredPayment } from './document.ts';
import { decide } from './payment.ts';
import type { PaymentCommand } from './state.ts';

/** What an operator decides on, before it is decided. Refusals: transaction_not_found. */
export async function findToDecide(context: Context, id: string): Promise<StoredPayment> {
  const found = await context.payments.find(id, { linearizable: true });
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  return found;
}

/** What operators have decided; `after` is for the audit log. */
type Decision = { call: OperatorCall; command: PaymentCommand; after: Record<string, string> };

/** Decided and carried out. A decision that stands already is carried on. Refusals: bad_request, unavailable. */
export async function decideByOperator(
  context: Context,
  payment: StoredPayment,
  { call, command, after }: Decision,
): Promise<StoredPayment> {
  const { state, order } = payment;
  const before = { status: state.status, rail: order.rail, amount: formatSen(order.amountSen) };
  call.record({ target: `payment:${order.id}`, before, after });
  const events = decide(state, command, context.clock.now());
  if (isRefusal(events)) throw new RefusalError(events);
  return advancePayment(context, (await changePayment(context, payment, command)).payment);
}
