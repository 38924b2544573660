import { isRetailCode, isVaBankCode, newPaymentCode, newVaNumber, RefusalError, randomDigits, refuseField } from '@gerbang/core';
import type { Context } from '../context.ts';
import { askWallet } from '../ewallet-checkout/ask-wallet.ts';
import { merchantNameOf } from '../payable/merchant-name.ts';
import { PAYMENT_LINK_HISTORY } from '../payable/product.ts';
import type { StoredPayable } from '../payable/stored-payable.ts';
import { linkReference } from '../payment-link/message.ts';
import { generateCode } from '../qris/generate-code.ts';

/** What the customer has given, and where the customer goes in the end. */
type Customer = { phone: string; returnUrl: string };

/**
 * Makes what the customer pays a session by: a number, a code, a QR payload, or where an e-wallet takes over. Refusals: validation (payment_method,
 * customer_phone), unavailable, transaction_failed.
 */
export async function issue(context: Context, history: StoredPayable, method: string, customer: Customer): Promise<string> {
  const { order, state } = history;
  const [group, channel = ''] = method.split('_', 2);
  const expiresAtMs = state.expiresAtMs ?? context.clock.now();
  const nowMs = context.clock.now();
  const reference = linkReference(PAYMENT_LINK_HISTORY, order.id);
  if (group === 'VA' && isVaBankCode(channel))
    return context.claims.claim('va', () => newVaNumber(context.vaSeries, channel, randomDigits), order.id, nowMs);
  if (group === 'RETAIL' && isRetailCode(channel))
    return context.claims.claim('retail', () => newPaymentCode(channel, randomDigits), order.id, nowMs);
  if (group === 'QRIS') {
    const merchantName = await merchantNameOf(context, order);
    const asked = { reference, amountSen: state.minSen, tip: undefined, merchantName, expiresAtMs };
    return (await generateCode(context, asked)).payload;
  }
  if (group === 'EWALLET') {
    if (channel === 'OVO' && customer.phone === '') throw new RefusalError(refuseField('customer_phone', 'is required for OVO'));
    const asked = { reference: `${reference}-${channel}`, channel, amountSen: state.minSen, expiresAtMs };
    const url = await askWallet(context, { ...asked, customerPhone: customer.phone, returnUrl: customer.returnUrl });
    return url ?? '';
  }
  throw new RefusalError(refuseField('payment_method', 'is not available'));
}
