import { create } from '@bufbuild/protobuf';
import {
  type EwalletCheckout,
  EwalletCheckoutSchema,
  type EwalletStatus,
  EwalletStatusSchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { toWireFigures, toWireStatus } from '../payable/figures.ts';
import { detailsOf, EWALLET_CHECKOUT } from '../payable/product.ts';
import type { StoredPayable } from '../payable/stored-payable.ts';

/** The e-wallet prefix of transaction ids (merchant-api.md) before the payable's own ULID. */
export function checkoutId(payableId: string): string {
  return `88${payableId.slice(EWALLET_CHECKOUT.length + 1)}`;
}

/** The payable that a transaction id names; undefined when it is none. */
export function payableOfCheckoutId(transactionId: string): string | undefined {
  return /^88[0-9A-HJKMNP-TV-Z]{26}$/.test(transactionId) ? `${EWALLET_CHECKOUT}:${transactionId.slice(2)}` : undefined;
}

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

/** How it stands, and no more. */
export function toEwalletStatus({ order, state }: StoredPayable): EwalletStatus {
  return create(EwalletStatusSchema, {
    transactionId: order.publicId,
    status: toWireStatus(state.status),
    expiredAtMs: BigInt(state.expiresAtMs ?? 0),
  });
}
