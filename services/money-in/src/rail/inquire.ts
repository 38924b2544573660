import { RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { Context } from '../context.ts';
import { merchantNameOf } from '../payment-request/merchant-name.ts';
import { mismatchOf } from '../payment-request/payment-request.ts';
import type { PaymentRequest } from '../payment-request/request.ts';
import { decisionOf } from './decision.ts';

/** What a customer would pay now for a number or a code; changes nothing. */
export async function inquire(context: Context, request: PaymentRequest | undefined) {
  if (request === undefined) return { decision: RailDecision.UNKNOWN };
  const { order, state } = request;
  const mismatch = mismatchOf(state, { type: 'take', by: 'inquiry', amountSen: state.minSen, paidAtMs: context.clock.now() });
  if (mismatch !== undefined) return { decision: decisionOf(mismatch) };
  const isClosed = state.minSen === state.maxSen;
  return {
    decision: RailDecision.ACCEPTED,
    bill: {
      name: await nameOf(context, request),
      ...(isClosed ? { amountSen: state.minSen } : { amountMinSen: state.minSen, amountMaxSen: state.maxSen }),
      ...(state.expiresAtMs !== undefined && { expiresAtMs: BigInt(state.expiresAtMs) }),
      merchantReffNo: order.merchantReffNo,
      merchantName: await merchantNameOf(context, order),
    },
  };
}

/** The name on the bill. */
async function nameOf(context: Context, request: PaymentRequest): Promise<string> {
  const { nameOnBill, parentIdOf } = context.kinds.ofRequest(request);
  const own = nameOnBill?.(request) ?? '';
  if (own !== '' || parentIdOf === undefined) return own;
  const parent = await context.paymentRequests.find(parentIdOf(request));
  return parent === undefined ? '' : nameOf(context, parent);
}
