import { deductFee } from '@gerbang/core';
import { feeRulesOf } from '@gerbang/neighbours';
import type { Context } from '../context.ts';
import { EWALLET_CHECKOUT, PAYMENT_LINK, QRIS, RETAIL, VIRTUAL_ACCOUNT } from '../payable/product.ts';
import type { StoredPayable } from '../payable/stored-payable.ts';
import type { Figures } from './payment.ts';
import type { PaymentOrder } from './stored-payment.ts';

/**
 * The figures of a payment by its merchant's fee schedule at the moment of the payment (contract §5). A payment link is charged for as a link where the merchant
 * has any fee for links, else as the method that the customer has chosen. Refusals: unavailable.
 */
export async function figuresFor(
  context: Pick<Context, 'merchants' | 'settlesAt'>,
  order: PaymentOrder,
  merchantId: string,
  payable: StoredPayable | undefined,
): Promise<Figures> {
  const rules = feeRulesOf(await context.merchants.profile(merchantId));
  const method = payable === undefined ? { product: order.product, channel: '' } : methodOf(payable);
  const chargedAsLink = order.product === PAYMENT_LINK && rules.some(({ product }) => product === PAYMENT_LINK);
  const charged = chargedAsLink ? { product: PAYMENT_LINK, channel: method.code ?? '' } : method;
  const { feeSen, basisPoints, vendorFeeSen, ourMarginSen, netSen } = deductFee(rules, {
    product: charged.product,
    channel: charged.channel,
    amountSen: order.amountSen,
    nowMs: order.paidAtMs,
  });
  const settleAtMs = context.settlesAt(order.product, order.paidAtMs);
  return { amountSen: order.amountSen, feeSen, netSen, vendorFeeSen, ourMarginSen, basisPoints, settleAtMs };
}

type Method = { product: string; channel: string; code?: string };

/** What is charged for: the product, and its bank, e-wallet or chain by the API's own code. */
function methodOf({ details }: StoredPayable): Method {
  switch (details.kind) {
    case VIRTUAL_ACCOUNT:
      return { product: VIRTUAL_ACCOUNT, channel: details.bank_code };
    case QRIS:
      return { product: QRIS, channel: '' };
    case EWALLET_CHECKOUT:
      return { product: EWALLET_CHECKOUT, channel: details.channel };
    case RETAIL:
      return { product: RETAIL, channel: details.retail_code };
    case 'payment-link':
    case 'payment-link-history':
      return methodOfCode(details.kind === PAYMENT_LINK ? '' : details.payment_method);
    default:
      return details satisfies never;
  }
}

/** For instance VA_BCA, QRIS, EWALLET_OVO, RETAIL_ALFAMART. */
function methodOfCode(code: string): Method {
  const [group = '', channel = ''] = code.split('_', 2);
  const products: Record<string, string> = { VA: VIRTUAL_ACCOUNT, QRIS, EWALLET: EWALLET_CHECKOUT, RETAIL };
  return { product: products[group] ?? PAYMENT_LINK, channel, code };
}
