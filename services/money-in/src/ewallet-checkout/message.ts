import { create } from '@bufbuild/protobuf';
import { type EwalletCheckout, EwalletCheckoutSchema } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { toWireFigures, toWireStatus } from '../payable/figures.ts';
import { detailsOf, EWALLET_CHECKOUT } from '../payable/product.ts';
import type { StoredPayable } from '../payable/store.ts';

/** An e-wallet checkout as the contract between services shows it. */
export function toEwalletCheckout(payable: StoredPayable): EwalletCheckout {
  const { order, state, payment } = payable;
  const details = detailsOf(payable.details, EWALLET_CHECKOUT);
  return create(EwalletCheckoutSchema, {
    transactionId: order.publicId,
    merchantId: order.merchantId,
    accountId: order.accountId,
    channel: details.channel,
    status: toWireStatus(state.status),
    amountSen: state.minSen,
    customerPhone: details.customer_phone,
    merchantReffNo: order.merchantReffNo,
    successRedirectUrl: details.success_redirect_url,
    checkoutUrl: details.checkout_url,
    createdAtMs: BigInt(order.createdAtMs),
    updatedAtMs: BigInt(payable.updatedAtMs),
    expiredAtMs: BigInt(state.expiresAtMs ?? 0),
    ...(payment !== undefined && { figures: toWireFigures(payment) }),
  });
}
