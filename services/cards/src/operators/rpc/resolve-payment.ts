import { hasCardNumber, RefusalError, refuseField } from '@gerbang/core';
import { Outcome as OutcomeMessage, type ResolvePaymentRequest } from '@gerbang/proto/gerbang/cards/v1/operators';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { authorisedCommand } from '../../payment/authorise.ts';
import type { StoredPayment } from '../../payment/document.ts';
import type { Outcome, PaymentCommand } from '../../payment/state.ts';
import { capturedCommand } from '../../payment/steps.ts';
import { waitingSinceMs } from '../../payment/waiting.ts';
import { carryOut, decisionOf } from '../decide.ts';
import { findPayment, readEvidence } from '../find.ts';

const REFERENCE_LENGTH_MAX = 64;
const FAILURE = { code: 'OPERATOR', reason: 'Resolved by operators' };

/**
 * Two operators say how a payment stands at the acquirer, which has not told for a day; it goes on as if the acquirer had said so.
 * Refusals: validation (outcome, evidence, acquirer_reference), transaction_not_found, bad_request, unavailable.
 */
export async function resolvePayment(context: Context, request: ResolvePaymentRequest, call: OperatorCall) {
  const outcome = readOutcome(request.outcome);
  const evidence = readEvidence(request.evidence);
  const { acquirerReference } = request;
  if (acquirerReference.length > REFERENCE_LENGTH_MAX || !/^[\w./-]*$/.test(acquirerReference))
    throw new RefusalError(refuseField('acquirer_reference', `has up to ${REFERENCE_LENGTH_MAX} letters, digits and ._/-`));
  if (hasCardNumber(acquirerReference)) throw new RefusalError(refuseField('acquirer_reference', 'must not have a card number'));
  const found = await findPayment(context, request.id);
  const then = await thenCommand(context, found, outcome, acquirerReference);
  const sinceMs = waitingSinceMs(found.state, found.document) ?? context.clock.now();
  const decision = decisionOf(call, { outcome, evidence });
  const { state } = await carryOut(context, found, { type: 'resolve', outcome, sinceMs, then, decision }, call);
  return { state: state.status };
}

/** What the acquirer's word would mean where the payment waits. The decider has checked that it fits. */
async function thenCommand(
  context: Context,
  payment: StoredPayment,
  outcome: Outcome,
  acquirerReference: string,
): Promise<PaymentCommand> {
  const { status } = payment.state;
  switch (outcome) {
    case 'failed':
      return status === 'capturing' ? { type: 'lose', ...FAILURE } : { type: 'fail', ...FAILURE };
    case 'authorised':
      if (status === 'voiding') return { type: 'void-refused', reason: FAILURE.reason };
      return authorisedCommand(context, payment, { acquirerReference, approvalCode: '', authorisedAtMs: undefined });
    case 'captured':
      return status === 'refunding' ? { type: 'refund-refused', reason: FAILURE.reason } : capturedCommand(context, payment);
    case 'voided':
      return status === 'releasing' ? { type: 'released' } : { type: 'voided' };
    case 'refunded':
      return { type: 'refund-done' };
    default:
      return outcome satisfies never;
  }
}

function readOutcome(outcome: OutcomeMessage): Outcome {
  switch (outcome) {
    case OutcomeMessage.FAILED:
      return 'failed';
    case OutcomeMessage.AUTHORISED:
      return 'authorised';
    case OutcomeMessage.CAPTURED:
      return 'captured';
    case OutcomeMessage.VOIDED:
      return 'voided';
    case OutcomeMessage.REFUNDED:
      return 'refunded';
    case OutcomeMessage.UNSPECIFIED:
      throw new RefusalError(refuseField('outcome', 'is required'));
    default:
      return outcome satisfies never;
  }
}
