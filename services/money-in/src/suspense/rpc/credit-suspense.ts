import type { CreditSuspenseRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { advancePayment } from '../../payment/advance.ts';
import { decideByOperator, findToDecide } from '../../payment/decide-by-operator.ts';
import { feesFor } from '../../payment/fees.ts';
import { creditedId } from '../../payment/leave-suspense.ts';
import { feesOf } from '../../payment/payment.ts';
import { bookedAtMs } from '../../payment/rail-time.ts';

/**
 * Credits an account with money in suspense, as a payment of the rail's product with the account's fees; it settles from now on.
 * Refusals: validation, transaction_not_found, those of the account, bad_request (it is decided otherwise).
 */
export async function creditSuspense(context: Context, request: CreditSuspenseRequest) {
  const { operator, merchantId, accountId } = request;
  const suspended = await findToDecide(context, request);
  const { partition } = await context.merchants.profile(merchantId);
  await context.merchants.account(merchantId, accountId);
  const { order } = suspended;
  const paidRequest = order.requestId === '' ? undefined : await context.paymentRequests.find(order.requestId);
  const fees = await feesFor(context, { ...order, paidAtMs: bookedAtMs(suspended) }, merchantId, paidRequest);
  const settleAtMs = Math.max(fees.settleAtMs, context.settlesAt(order.product, context.clock.now()));
  const target = { merchantId, accountId, partition };
  await decideByOperator(context, suspended, {
    operator,
    name: 'suspense.credit',
    command: { type: 'credit', target, fees: { ...fees, settleAtMs } },
    after: { outcome: 'credited', merchant_id: merchantId, account_id: accountId },
  });
  const credited = await context.payments.find(creditedId(order.id), { linearizable: true });
  if (credited === undefined) throw new Error(`payment ${order.id} was credited to nothing`);
  const { state, order: paid } = await advancePayment(context, credited);
  const { settleAtMs: dueMs, ...sums } = feesOf(state);
  return {
    figures: { ...sums, paidAtMs: BigInt(paid.paidAtMs), settleAtMs: BigInt(dueMs), railReference: paid.railReference },
  };
}
