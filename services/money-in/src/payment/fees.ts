import { deductFee } from '@gerbang/core';
import { feeRulesOf } from '@gerbang/neighbours';
import type { Context } from '../context.ts';
import type { PaymentRequest } from '../payment-request/request.ts';
import type { PaymentOrder } from './order.ts';
import type { FeeBreakdown } from './state.ts';

/**
 * The fee breakdown of a payment by its merchant's fee schedule at the moment of the payment (contract §5); of money that matches
 * no request, by the product of its rail. Refusals: unavailable.
 */
export async function feesFor(
  context: Pick<Context, 'merchants' | 'kinds' | 'settlesAt'>,
  order: PaymentOrder,
  merchantId: string,
  request: PaymentRequest | undefined,
): Promise<FeeBreakdown> {
  const rules = feeRulesOf(await context.merchants.profile(merchantId));
  const hasFee = (product: string) => rules.some((rule) => rule.product === product);
  const charged =
    request === undefined ? { product: order.product, channel: '' } : context.kinds.ofRequest(request).chargedAs(request, hasFee);
  const { feeSen, basisPoints, vendorFeeSen, ourMarginSen, netSen } = deductFee(rules, {
    ...charged,
    amountSen: order.amountSen,
    nowMs: order.paidAtMs,
  });
  const settleAtMs = context.settlesAt(order.product, order.paidAtMs);
  return { amountSen: order.amountSen, feeSen, netSen, vendorFeeSen, ourMarginSen, basisPoints, settleAtMs };
}
