import { create } from '@bufbuild/protobuf';
import {
  type PaymentLink,
  type PaymentLinkHistory,
  PaymentLinkHistorySchema,
  PaymentLinkSchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { toWireFigures, toWireStatus } from '../payable/figures.ts';
import { detailsOf, type Kind, PAYMENT_LINK, PAYMENT_LINK_HISTORY } from '../payable/product.ts';
import type { StoredPayable } from '../payable/stored-payable.ts';

const PREFIXES = { [PAYMENT_LINK]: 'PL', [PAYMENT_LINK_HISTORY]: 'PH' } as const;

/** The reference of a link or a history: its ULID, which nobody can guess, with what it is of. Customers' pages go by it. */
export function linkReference(kind: keyof typeof PREFIXES, payableId: string): string {
  return PREFIXES[kind] + payableId.slice(kind.length + 1);
}

/** The payable that a reference names; undefined when it is none. */
export function payableOfLinkReference(kind: keyof typeof PREFIXES & Kind, reference: string): string | undefined {
  const isOne = /^P[LH][0-9A-HJKMNP-TV-Z]{26}$/.test(reference) && reference.startsWith(PREFIXES[kind]);
  return isOne ? `${kind}:${reference.slice(2)}` : undefined;
}

/** A payment link as the contract between services shows it. */
export function toPaymentLink(payable: StoredPayable): PaymentLink {
  const { order, state } = payable;
  const details = detailsOf(payable.details, PAYMENT_LINK);
  return create(PaymentLinkSchema, {
    id: BigInt(order.publicId),
    merchantId: order.merchantId,
    accountId: order.accountId,
    reffNo: linkReference(PAYMENT_LINK, order.id),
    title: details.title,
    description: details.description,
    status: toWireStatus(state.status),
    amountSen: state.minSen,
    ...(state.maxUses !== undefined && { maxUsage: state.maxUses }),
    currentUsage: state.used,
    paymentUrl: details.payment_url,
    requiredCustomerDetail: details.required_customer_detail,
    ...(state.expiresAtMs !== undefined && { expiredAtMs: BigInt(state.expiresAtMs) }),
    successRedirectUrl: details.success_redirect_url,
    paymentMethods: details.payment_methods,
    createdAtMs: BigInt(order.createdAtMs),
    updatedAtMs: BigInt(payable.updatedAtMs),
  });
}

/** One opening of a link. */
export function toHistory(payable: StoredPayable): PaymentLinkHistory {
  const { order, state, payment } = payable;
  const details = detailsOf(payable.details, PAYMENT_LINK_HISTORY);
  return create(PaymentLinkHistorySchema, {
    id: BigInt(order.publicId),
    merchantId: order.merchantId,
    accountId: order.accountId,
    paymentLinkId: details.link_number,
    reffNo: linkReference(PAYMENT_LINK_HISTORY, order.id),
    status: toWireStatus(state.status),
    amountSen: state.minSen,
    paymentMethod: details.payment_method,
    paymentMethodValue: details.payment_method_value,
    customerName: details.customer_name,
    customerEmail: details.customer_email,
    customerPhone: details.customer_phone,
    ipAddress: details.ip_address,
    createdAtMs: BigInt(order.createdAtMs),
    updatedAtMs: BigInt(payable.updatedAtMs),
    expiredAtMs: BigInt(state.expiresAtMs ?? 0),
    declinedPaymentMethods: details.declined ?? [],
    ...(payment !== undefined && { figures: toWireFigures(payment) }),
  });
}
