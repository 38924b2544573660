import { RefusalError, refuseField } from '@gerbang/core';
import { type NotifyReversedRequest, ReversalKind } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { Context } from '../../context.ts';
import { reverse } from '../../payment/reverse.ts';
import type { Report } from '../../payment/state.ts';
import { railOf } from '../../payment-request/kind.ts';
import { answerToReversal } from '../decision.ts';
import { findPaid } from '../find-payment-request.ts';

/**
 * A payment that its rail has taken back; see the contract. The answer comes after the decision is durable and the ledger has
 * moved. Refusals: validation, unavailable.
 */
export async function notifyReversed(context: Context, request: NotifyReversedRequest) {
  const { partnerId, railReference, partnerReference: paidTo, amountSen, reportedAtMs, reason } = request;
  const rail = railOf(context.kinds, request.rail);
  if (!rail?.reverses) throw new RefusalError(refuseField('rail', 'is not one that takes payments back'));
  if (railReference === '') throw new RefusalError(refuseField('rail_reference', 'is required'));
  const outcome = await reverse(context, {
    rail: rail.name,
    partnerId,
    railReference,
    paidTo,
    amountSen,
    kind: kindOf(request.kind),
    reason,
    // A rail that gives no time means that it is so now.
    reportedAtMs: reportedAtMs === 0n ? context.clock.now() : Number(reportedAtMs),
    request: paidTo === '' ? undefined : await findPaid(context, rail, { paidTo, issuers: [] }),
  });
  return { decision: answerToReversal(outcome) };
}

function kindOf(kind: ReversalKind): Report['kind'] {
  switch (kind) {
    case ReversalKind.REFUNDED:
      return 'refunded';
    case ReversalKind.CANCELED:
      return 'canceled';
    case ReversalKind.FAILED:
      return 'failed';
    case ReversalKind.UNSPECIFIED:
      throw new RefusalError(refuseField('kind', 'is required'));
    default:
      return kind satisfies never;
  }
}
