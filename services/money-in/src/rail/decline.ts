import { RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { Context } from '../context.ts';
import { changeFields, changePaymentRequest } from '../payment-request/change.ts';
import type { StoredPaymentRequest } from '../payment-request/document.ts';

/**
 * A rail says that what it holds will not be paid: the request fails, or stays open without that method where its kind offers
 * others. Refusals: unavailable.
 */
export async function decline(context: Context, request: StoredPaymentRequest, reference: string): Promise<RailDecision> {
  const { declined } = context.kinds.ofRequest(request);
  if (declined !== undefined) {
    const { isChanged } = await changeFields(context, request, (current) => {
      const details = declined(current.details, reference);
      return details && { details };
    });
    return isChanged ? RailDecision.ACCEPTED : RailDecision.DUPLICATE;
  }
  if (request.state.status === 'failed') return RailDecision.DUPLICATE;
  const failed = await changePaymentRequest(context, request, { type: 'fail' }, { event: 'failed' });
  const { status, inFlight } = failed.request.state;
  return status === 'completed' || inFlight.length > 0 ? RailDecision.ALREADY_PAID : RailDecision.ACCEPTED;
}
