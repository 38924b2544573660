import type { Handler } from '../http/visit.ts';
import { phaseOfPayment, remainingMs } from '../status/phase.ts';
import { streamStatus } from '../status/stream.ts';
import { findConfirmation } from './find-confirmation.ts';

/** GET /ewallet/{transaction_id}/events: how the checkout stands, live. */
export const followCheckout: Handler = async (context, request, reply) => {
  const { status } = await findConfirmation(context, request.params);
  return streamStatus(context, request, reply, {
    reference: status.transactionId,
    first: status,
    watch: context.ewallets,
    standingOf(now) {
      const nowMs = context.clock.now();
      return { phase: phaseOfPayment(now, nowMs), remainingMs: remainingMs(now, nowMs) };
    },
  });
};
