import { RefusalError, refuseField } from '@gerbang/core';
import { CardOutcome, type ReportCardPaymentRequest } from '@gerbang/proto/gerbang/money_in/v1/link_card';
import type { Context } from '../../context.ts';
import { markSettled } from '../../payment-request/change.ts';
import { isAccepted } from '../card-attempt.ts';
import { giveCardPaymentBack, takeCardPayment } from '../card-payment.ts';
import { findSession } from '../find.ts';
import { asSession } from '../session.ts';

/**
 * How the payment of a try stands at the cards service; see the contract. Refusals: transaction_not_found, validation (outcome),
 * unavailable.
 */
export async function reportCardPayment(context: Context, request: ReportCardPaymentRequest) {
  const { session } = await findSession(context, request.reffNo);
  const { outcome, paymentId } = request;
  switch (outcome) {
    case CardOutcome.PAID:
      return { accepted: await takeCardPayment(context, session, request) };
    case CardOutcome.SETTLED:
      if (isAccepted(asSession(session.details), paymentId)) await markSettled(context, session, Number(request.settleAtMs));
      return { accepted: true };
    case CardOutcome.FAILED:
      await giveCardPaymentBack(context, session, paymentId);
      return { accepted: true };
    case CardOutcome.UNSPECIFIED:
      throw new RefusalError(refuseField('outcome', 'is required'));
    default:
      return outcome satisfies never;
  }
}
