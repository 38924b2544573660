import { RefusalError, refuse } from '@gerbang/core';
import { callWithin } from '@gerbang/rails';
import { change, type SagaContext } from './change.ts';
import type { StoredTransfer } from './document.ts';
import { refundReferenceOf } from './rail-reference.ts';
import { settle } from './saga.ts';

/**
 * Asks the rail to give back a payment that operators want back, and books what it answers: the money only after its yes. A
 * refusal of the first request is final. After a request without an answer it says nothing, so the rail is first asked how the
 * payment stands, and then for the refund again, under the same number. `firstSend` only where no other process can have asked.
 * Refusals: transaction_failed (the rail refuses; the payment stands), unavailable, timeout.
 */
export async function askForRefund(
  context: SagaContext,
  transfer: StoredTransfer,
  { firstSend }: { firstSend: boolean },
): Promise<StoredTransfer> {
  const { state, product, document } = transfer;
  if (state.status !== 'succeeded' || state.refund === undefined) return transfer;
  const { request } = document;
  const { refund } = product;
  if (refund === undefined || request === undefined) throw new Error(`a transfer of ${product.name} cannot be refunded`);
  const wait = (reason: string) => change(context, transfer, [{ type: 'wait-for-refund', reason }]);
  if (!firstSend) {
    const found = await callWithin(context.railTimeoutMs, (signal) => product.inquire(request, { signal }));
    if (found.outcome === 'failed' || found.outcome === 'canceled' || found.outcome === 'returned') {
      return settle(context, transfer, found);
    }
    if (found.outcome !== 'succeeded')
      return wait(found.outcome === 'unknown' ? found.reason : `the payment is ${found.outcome}`);
  }
  // A transfer that was corrected before would else be given an earlier refund's answer.
  const refundReference = refundReferenceOf(transfer.order.partnerReference, state.compensations);
  const answer = await callWithin(context.railTimeoutMs, (signal) =>
    refund.send(request, refundReference, { signal, firstSend }),
  );
  switch (answer.outcome) {
    case 'returned':
      return settle(context, transfer, answer);
    case 'refused': {
      const reason = `${answer.code} ${answer.reason}`;
      await change(context, transfer, [{ type: 'refuse-refund', reason }]);
      throw new RefusalError(refuse('transaction_failed', { message: `The rail refuses the refund: ${reason}` }));
    }
    case 'pending':
      return wait('the refund is pending at the rail');
    case 'unknown':
      return wait(answer.reason);
    default:
      return answer satisfies never;
  }
}
