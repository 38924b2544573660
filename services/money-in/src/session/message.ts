import { create, toBinary } from '@bufbuild/protobuf';
import {
  type PaymentLinkHistory,
  PaymentLinkHistoryEventSchema,
  PaymentLinkHistorySchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { toPaymentLink } from '../payment-link/message.ts';
import { toWireFees, toWireStatus } from '../payment-request/message.ts';
import type { PaymentRequest } from '../payment-request/request.ts';
import { asSession, sessionReference } from './session.ts';

/** One opening of a link as the contract between services shows it. */
export function toHistory(request: PaymentRequest): PaymentLinkHistory {
  const { order, state, payment } = request;
  const details = asSession(request.details);
  return create(PaymentLinkHistorySchema, {
    id: BigInt(order.publicId),
    merchantId: order.merchantId,
    accountId: order.accountId,
    paymentLinkId: details.linkNumber,
    reffNo: sessionReference(order.id),
    status: toWireStatus(state.status),
    amountSen: state.minSen,
    paymentMethod: details.paymentMethod,
    paymentMethodValue: details.paymentMethodValue,
    customerName: details.customerName,
    customerEmail: details.customerEmail,
    customerPhone: details.customerPhone,
    ipAddress: details.ipAddress,
    createdAtMs: BigInt(order.createdAtMs),
    updatedAtMs: BigInt(request.updatedAtMs),
    expiredAtMs: BigInt(state.expiresAtMs ?? 0),
    declinedPaymentMethods: [...details.declined],
    ...(payment !== undefined && { figures: toWireFees(payment) }),
    ...(details.card && {
      cardAttempt: {
        attempt: details.card.attempt,
        paymentId: details.card.paymentId,
        isOpen: details.card.status !== 'declined',
      },
    }),
  });
}

/** The payload of its events, which carry its link as it then stands. */
export function sessionPayload(request: PaymentRequest, { parent }: { parent: PaymentRequest | undefined }): Uint8Array {
  if (parent === undefined) throw new Error(`an event of ${request.order.id} needs its link`);
  const event = { paymentLinkHistory: toHistory(request), paymentLink: toPaymentLink(parent) };
  return toBinary(PaymentLinkHistoryEventSchema, create(PaymentLinkHistoryEventSchema, event));
}
