import { toMoney } from '@gerbang/core';
import type { PaymentLink, PaymentLinkHistory } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { HISTORY_WORDS, PAYMENT_LINK_WORDS, statusWord } from './payable-status.ts';
import {
  Money,
  PaymentLinkHistoryReference,
  PaymentLinkHistoryStatus,
  PaymentLinkReference,
  PaymentLinkStatus,
  PaymentMethodCode,
  Timestamp,
  Ulid,
} from './schemas.ts';
import { textOrNull } from './text.ts';
import { iso, isoOrNull } from './time.ts';

const pathId = z.int().positive().meta({ description: 'The id of paths.' });

/** Fields that a link has in answers and in webhooks. */
export const linkFields = {
  id: pathId,
  reff_no: PaymentLinkReference,
  title: z.string(),
  description: z.string().nullable(),
  status: PaymentLinkStatus,
  max_usage: z.int().min(1).max(255).nullable().meta({ description: 'How often it may be paid; null if unlimited.' }),
  current_usage: z.int().nonnegative().meta({ description: 'How often it has been paid.' }),
  payment_url: z.url().meta({ description: 'The page that customers open.' }),
  required_customer_detail: z.boolean().meta({ description: 'Whether customers must give name, e-mail address and phone.' }),
};

export const paymentLinkSchema = z
  .strictObject({
    ...linkFields,
    account_id: Ulid,
    amount: Money,
    total_amount: Money.meta({ description: 'The same as amount.' }),
    success_redirect_url: z.string().nullable().meta({ description: 'Where the customer goes after the payment.' }),
    payment_methods: z.array(PaymentMethodCode).min(1).meta({ description: 'The methods that it offers.' }),
    expired_at: Timestamp.nullable().meta({ description: 'null if it never expires.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'PaymentLink', description: 'A page on which customers pay by the method of their choice.' });

/** Fields that a history has in answers and in webhooks. */
export const historyFields = {
  id: pathId,
  reff_no: PaymentLinkHistoryReference,
  status: PaymentLinkHistoryStatus,
  payment_method_name: PaymentMethodCode.nullable().meta({ description: 'The code of the method; null until one is chosen.' }),
  payment_method_value: z.string().nullable().meta({
    description:
      "What is paid by: a number, a QR payload, a payment code, an e-wallet's page; the id of a payment by card once that is paid. Null until then.",
  }),
  payment_method_additional: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description: 'What else a method has to say; null where it has nothing.' }),
  customer_name: z.string().nullable(),
  customer_email: z.string().nullable(),
  customer_phone: z.string().nullable(),
  ip_address: z.string().meta({ description: 'Where the customer opened the link from.' }),
};

const untilPaid = Money.nullable().meta({ description: 'null until paid.' });

export const historySchema = z
  .strictObject({
    ...historyFields,
    account_id: Ulid,
    payment_link_id: pathId,
    amount: Money,
    vendor_fee: untilPaid,
    our_margin: untilPaid,
    fee: Money.nullable().meta({ description: 'vendor_fee and our_margin; null until paid.' }),
    net_amount: Money.nullable().meta({ description: 'amount minus fee; null until paid.' }),
    paid_at: Timestamp.nullable(),
    has_settle: z.boolean().meta({ description: 'Whether the net amount is available.' }),
    settle_at: Timestamp.nullable().meta({ description: 'When it has settled, or will; null until paid.' }),
    expired_at: Timestamp.meta({ description: "The end of the customer's session." }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'PaymentLinkHistory', description: 'One opening of a payment link by a customer.' });

export type PaymentLinkJson = z.output<typeof paymentLinkSchema>;
export type HistoryJson = z.output<typeof historySchema>;

/** A payment link as the merchant's API shows it (contract §5). */
export function presentPaymentLink(link: PaymentLink): PaymentLinkJson {
  return {
    id: Number(link.id),
    account_id: link.accountId,
    reff_no: link.reffNo,
    title: link.title,
    description: textOrNull(link.description),
    status: statusWord(PAYMENT_LINK_WORDS, link.status),
    amount: toMoney(link.amountSen),
    total_amount: toMoney(link.amountSen),
    max_usage: link.maxUsage ?? null,
    current_usage: link.currentUsage,
    payment_url: link.paymentUrl,
    required_customer_detail: link.requiredCustomerDetail,
    success_redirect_url: textOrNull(link.successRedirectUrl),
    payment_methods: link.paymentMethods,
    expired_at: isoOrNull(link.expiredAtMs),
    created_at: iso(link.createdAtMs),
    updated_at: iso(link.updatedAtMs),
  };
}

/** One opening of a link; figures are null until paid. */
export function presentHistory(history: PaymentLinkHistory): HistoryJson {
  const { figures } = history;
  return {
    id: Number(history.id),
    account_id: history.accountId,
    payment_link_id: Number(history.paymentLinkId),
    reff_no: history.reffNo,
    status: statusWord(HISTORY_WORDS, history.status),
    amount: toMoney(history.amountSen),
    vendor_fee: figures === undefined ? null : toMoney(figures.vendorFeeSen),
    our_margin: figures === undefined ? null : toMoney(figures.ourMarginSen),
    fee: figures === undefined ? null : toMoney(figures.feeSen),
    net_amount: figures === undefined ? null : toMoney(figures.netSen),
    payment_method_name: textOrNull(history.paymentMethod),
    payment_method_value: textOrNull(history.paymentMethodValue),
    payment_method_additional: null,
    customer_name: textOrNull(history.customerName),
    customer_email: textOrNull(history.customerEmail),
    customer_phone: textOrNull(history.customerPhone),
    ip_address: history.ipAddress,
    paid_at: isoOrNull(figures?.paidAtMs),
    has_settle: figures?.settledAtMs !== undefined,
    settle_at: isoOrNull(figures?.settledAtMs ?? figures?.settleAtMs),
    expired_at: iso(history.expiredAtMs),
    created_at: iso(history.createdAtMs),
    updated_at: iso(history.updatedAtMs),
  };
}
