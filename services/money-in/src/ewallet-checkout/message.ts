import { create, toBinary } from '@bufbuild/protobuf';
import {
  type EwalletCheckout,
  EwalletCheckoutEventSchema,
  EwalletCheckoutSchema,
  type EwalletStatus,
  EwalletStatusSchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { toWireFees, toWireStatus } from '../payment-request/message.ts';
import type { PaymentRequest } from '../payment-request/request.ts';
import { asEwalletCheckout } from './ewallet-checkout.ts';

/** An e-wallet checkout as the contract between services shows it. */
export function toEwalletCheckout(request: PaymentRequest): EwalletCheckout {
  const { order, state, payment } = request;
  const { channel, customerPhone, successRedirectUrl, checkoutUrl } = asEwalletCheckout(request.details);
  return create(EwalletCheckoutSchema, {
    transactionId: order.publicId,
    merchantId: order.merchantId,
    accountId: order.accountId,
    channel,
    status: toWireStatus(state.status),
    amountSen: state.minSen,
    customerPhone,
    merchantReffNo: order.merchantReffNo,
    successRedirectUrl,
    checkoutUrl,
    createdAtMs: BigInt(order.createdAtMs),
    updatedAtMs: BigInt(request.updatedAtMs),
    expiredAtMs: BigInt(state.expiresAtMs ?? 0),
    ...(payment !== undefined && { figures: toWireFees(payment) }),
  });
}

/** The payload of its events. */
export function ewalletCheckoutPayload(request: PaymentRequest): Uint8Array {
  const event = create(EwalletCheckoutEventSchema, { ewalletCheckout: toEwalletCheckout(request) });
  return toBinary(EwalletCheckoutEventSchema, event);
}

/** How it stands, and no more. */
export function toEwalletStatus({ order, state }: PaymentRequest): EwalletStatus {
  return create(EwalletStatusSchema, {
    transactionId: order.publicId,
    status: toWireStatus(state.status),
    expiredAtMs: BigInt(state.expiresAtMs ?? 0),
  });
}
