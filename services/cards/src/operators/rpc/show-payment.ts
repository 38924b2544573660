import type { ShowPaymentRequest } from '@gerbang/proto/gerbang/cards/v1/operators';
import type { Context } from '../../context.ts';
import { ask } from '../../payment/authorise.ts';
import { toPaymentMessage } from '../../payment/message.ts';
import { isAuthorised } from '../../payment/state.ts';
import { toSaid } from '../acquirer-says.ts';
import { findPayment } from '../find.ts';

/** One payment with its history, and what the acquirer says of it now; nothing follows from that. Refusals: transaction_not_found. */
export async function showPayment(context: Context, { id }: ShowPaymentRequest) {
  const payment = await findPayment(context, id);
  const { state, document } = payment;
  const since = document.unresolved_at ?? document.asked_at;
  return {
    payment: toPaymentMessage(payment),
    state: state.status,
    history: (document.history ?? []).map(({ status, at }) => ({ atMs: BigInt(at.getTime()), state: status })),
    decisions: (document.decisions ?? []).map(({ at, ...decision }) => ({ atMs: BigInt(at.getTime()), ...decision })),
    acquirerReference: isAuthorised(state) ? state.authorisation.acquirerReference : '',
    ...toSaid(await ask(context, payment)),
    ...(since !== undefined && { sinceMs: BigInt(since.getTime()) }),
    ...('asked' in state && { waitingFor: state.asked.waitingFor, tries: state.asked.tries }),
    ...(document.due_at !== undefined && { dueAtMs: BigInt(document.due_at.getTime()) }),
  };
}
