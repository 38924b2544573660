import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { ReportedOutcome, type ReportTransferRequest } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Context } from '../../context.ts';
import { toMessage } from '../../transfer/message.ts';
import type { Outcome } from '../../transfer/product.ts';
import { settle } from '../../transfer/saga.ts';

/**
 * Takes what a rail reports of a transfer, as an answer to an inquiry would be taken. Idempotent; answered when it is durable.
 * Refusals: validation (outcome, amount), transaction_not_found, unavailable.
 */
export async function reportTransfer(context: Context, request: ReportTransferRequest) {
  const outcome = readOutcome(request);
  const found = await context.transfers.findByPartnerReference(request.transactionId);
  if (found === undefined || found.product.rail !== request.rail) throw new RefusalError(refuse('transaction_not_found'));
  if (request.amountSen !== undefined && request.amountSen !== found.order.amountSen)
    throw new RefusalError(refuseField('amount', 'is not the amount of the transfer'));
  // Its funds may not be held yet. Its request or its timer settles that within seconds, and the rail comes again.
  if (found.state.status === 'created') throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }));
  const { status } = toMessage(await settle(context, found, outcome));
  return { status };
}

function readOutcome({ outcome, railReference, code, reason }: ReportTransferRequest): Outcome {
  switch (outcome) {
    case ReportedOutcome.SUCCEEDED:
      return { outcome: 'succeeded', railReference };
    case ReportedOutcome.FAILED:
      return { outcome: 'failed', code, reason, cause: 'other' };
    case ReportedOutcome.CANCELED:
      return { outcome: 'canceled' };
    case ReportedOutcome.RETURNED:
      return { outcome: 'returned', railReference, reason };
    case ReportedOutcome.UNSPECIFIED:
      throw new RefusalError(refuseField('outcome', 'is required'));
    default:
      return outcome satisfies never;
  }
}
