import { create, toBinary } from '@bufbuild/protobuf';
import { type PaymentLink, PaymentLinkEventSchema, PaymentLinkSchema } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { toWireStatus } from '../payment-request/message.ts';
import type { PaymentRequest } from '../payment-request/request.ts';
import { asPaymentLink, linkReference } from './payment-link.ts';

/** A payment link as the contract between services shows it. */
export function toPaymentLink(request: PaymentRequest): PaymentLink {
  const { order, state } = request;
  const details = asPaymentLink(request.details);
  return create(PaymentLinkSchema, {
    id: BigInt(order.publicId),
    merchantId: order.merchantId,
    accountId: order.accountId,
    reffNo: linkReference(order.id),
    title: details.title,
    description: details.description,
    status: toWireStatus(state.status),
    amountSen: state.minSen,
    ...(state.maxUses !== undefined && { maxUsage: state.maxUses }),
    currentUsage: state.used,
    paymentUrl: details.paymentUrl,
    requiredCustomerDetail: details.requiredCustomerDetail,
    ...(state.expiresAtMs !== undefined && { expiredAtMs: BigInt(state.expiresAtMs) }),
    successRedirectUrl: details.successRedirectUrl,
    paymentMethods: [...details.paymentMethods],
    createdAtMs: BigInt(order.createdAtMs),
    updatedAtMs: BigInt(request.updatedAtMs),
  });
}

/** The payload of its events. */
export function paymentLinkPayload(request: PaymentRequest): Uint8Array {
  return toBinary(PaymentLinkEventSchema, create(PaymentLinkEventSchema, { paymentLink: toPaymentLink(request) }));
}
