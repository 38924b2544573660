import { RefusalError, refuse } from '@gerbang/core';
import type { InquirePaymentRequest } from '@gerbang/proto/gerbang/cards/v1/operators';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { workOn } from '../../payment/advance.ts';
import { ask } from '../../payment/authorise.ts';
import type { StoredPayment } from '../../payment/document.ts';
import { isOpen, lookAgain } from '../../payment/report.ts';
import { toSaid } from '../acquirer-says.ts';
import { findPayment } from '../find.ts';

/** Asks the acquirer now and follows what it says. Refusals: transaction_not_found, unavailable. */
export async function inquirePayment(context: Context, { id }: InquirePaymentRequest, call: OperatorCall) {
  const found = await findPayment(context, id);
  const before = found.state.status;
  call.record({ target: `card-payment:${id}`, before: { status: before } });
  const said = await ask(context, found);
  // It is asked a second time, by the step that follows its answer.
  if (said.outcome === 'unknown')
    throw new RefusalError(
      refuse('unavailable', { retryAfterMs: 1_000 }),
      new Error(`the acquirer does not tell: ${said.reason}`),
    );
  const { state } = await follow(context, found);
  call.record({
    target: `card-payment:${id}`,
    before: { status: before },
    after: { status: state.status, acquirer: said.outcome },
  });
  return { stateBefore: before, state: state.status, ...toSaid(said) };
}

/** What waits for the acquirer takes its step now; what is at rest is compared, and an authorisation only asked about. */
function follow(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  const { state, order } = payment;
  if (isOpen(state) || !('asked' in state)) return lookAgain(context, payment);
  return context.inProgress.has(order.id) ? Promise.resolve(payment) : workOn(context, payment);
}
