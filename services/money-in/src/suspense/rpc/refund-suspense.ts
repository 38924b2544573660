import type { RefundSuspenseRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { decideByOperator, findToDecide } from '../../payment/decide-by-operator.ts';

/**
 * The rail has given money back, or will: it leaves suspense to it. Refusals: validation, transaction_not_found, bad_request (it
 * is decided otherwise).
 */
export async function refundSuspense(context: Context, { id }: RefundSuspenseRequest, call: OperatorCall) {
  const suspended = await findToDecide(context, id);
  await decideByOperator(context, suspended, { call, command: { type: 'refund' }, after: { outcome: 'refunded' } });
  return {};
}
