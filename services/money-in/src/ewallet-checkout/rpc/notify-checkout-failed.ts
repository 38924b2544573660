import { type NotifyCheckoutFailedRequest, RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { Context } from '../../context.ts';
import { reverse } from '../../payment/reverse.ts';
import { answerToReversal } from '../../rail/decision.ts';
import { decline } from '../../rail/decline.ts';
import { findPaid } from '../../rail/find-payment-request.ts';
import { EWALLET_RAIL } from '../ewallet-checkout.ts';
import { walletRail } from '../rail.ts';

/**
 * The customer has declined an e-wallet checkout, or it has failed there. A checkout of a payment link leaves the session open,
 * without that method: the customer may choose another one. What the wallet had reported as paid before is reversed.
 */
export async function notifyCheckoutFailed(context: Context, request: NotifyCheckoutFailedRequest) {
  const { partnerId, partnerReference, railReference, reason, failedAtMs } = request;
  const found = await findPaid(context, walletRail, { paidTo: partnerReference, issuers: [] });
  if (found === undefined) return { decision: RailDecision.UNKNOWN };
  if (railReference !== '') {
    const failure = { kind: 'failed' as const, reportedAtMs: Number(failedAtMs), amountSen: 0n, reason };
    const paid = { rail: EWALLET_RAIL, partnerId, railReference, paidTo: partnerReference, request: found };
    const outcome = await reverse(context, { ...paid, ...failure });
    if (outcome !== 'unknown') return { decision: answerToReversal(outcome) };
  }
  return { decision: await decline(context, found, partnerReference) };
}
