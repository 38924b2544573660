import { type NotifyCheckoutFailedRequest, RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { noteDeclined } from '../../checkout/note-declined.ts';
import type { Context } from '../../context.ts';
import { changePayable, mustFind } from '../../payable/change.ts';
import { EWALLET_CHECKOUT, PAYMENT_LINK_HISTORY } from '../../payable/product.ts';
import { findByCheckoutReference } from '../find-payable.ts';

/**
 * The customer has declined an e-wallet checkout, or it has failed there. A checkout of a payment link leaves the session open, without that method: the customer
 * may choose another one.
 */
export async function notifyCheckoutFailed(context: Context, { partnerReference }: NotifyCheckoutFailedRequest) {
  const found = await findByCheckoutReference(context, partnerReference);
  if (found === undefined) return { decision: RailDecision.UNKNOWN };
  if (found.details.kind === PAYMENT_LINK_HISTORY) {
    const isNew = await noteDeclined(context, found, `EWALLET_${partnerReference.split('-')[1] ?? ''}`);
    return { decision: isNew ? RailDecision.ACCEPTED : RailDecision.DUPLICATE };
  }
  if (found.details.kind !== EWALLET_CHECKOUT) return { decision: RailDecision.ACCEPTED };
  if (found.state.status === 'failed') return { decision: RailDecision.DUPLICATE };
  await changePayable(context, found, { type: 'fail' }, { announced: 'failed' });
  const { state } = await mustFind(context, found.order.id);
  const isPaid = state.status === 'completed' || state.inFlight.length > 0;
  return { decision: isPaid ? RailDecision.ALREADY_PAID : RailDecision.ACCEPTED };
}
