import { formatSen, jakartaDateTime } from '@gerbang/core';
import type { PaymentLink, PaymentLinkHistory } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { HISTORY_WORDS, PAYMENT_LINK_WORDS, statusWord } from './payable-status.ts';
import { historyFields, linkFields } from './payment-link.ts';
import { JakartaDateTime } from './schemas.ts';
import { textOrNull } from './text.ts';

const amountNumberSchema = z
  .strictObject({ value: z.number(), currency: z.literal('IDR') })
  .meta({ id: 'MoneyNumber', description: 'An amount in rupiah as a number, in webhooks about sessions of payment links only.' });

const rupiahUntilPaid = z.number().nullable().meta({ description: 'Rupiah; null until paid.' });

export const paymentLinkForWebhookSchema = z
  .strictObject({
    ...linkFields,
    total_amount: amountNumberSchema,
    expired_at: JakartaDateTime.nullable().meta({ description: 'null if it never expires.' }),
    created_at: JakartaDateTime,
    updated_at: JakartaDateTime,
  })
  .meta({ id: 'PaymentLinkOfWebhook', description: 'A payment link, with times in Asia/Jakarta.' });

export const historyForWebhookSchema = z
  .strictObject({
    ...historyFields,
    amount: amountNumberSchema,
    vendor_fee: rupiahUntilPaid,
    our_margin: rupiahUntilPaid,
    net_amount: rupiahUntilPaid,
    expired_at: JakartaDateTime.meta({ description: "The end of the customer's session." }),
    created_at: JakartaDateTime,
    updated_at: JakartaDateTime,
  })
  .meta({ id: 'PaymentLinkHistoryOfWebhook', description: 'One opening of a payment link, with times in Asia/Jakarta.' });

export type PaymentLinkForWebhookJson = z.output<typeof paymentLinkForWebhookSchema>;
export type HistoryForWebhookJson = z.output<typeof historyForWebhookSchema>;

/**
 * A link as the inquiry webhooks carry it: amounts are numbers, times `Y-m-d H:i:s` in Asia/Jakarta (merchant-api.md,
 * payment_link.inquiry).
 */
export function presentPaymentLinkForWebhook(link: PaymentLink): PaymentLinkForWebhookJson {
  return {
    id: Number(link.id),
    reff_no: link.reffNo,
    title: link.title,
    description: textOrNull(link.description),
    status: statusWord(PAYMENT_LINK_WORDS, link.status),
    total_amount: amountNumber(link.amountSen),
    max_usage: link.maxUsage ?? null,
    current_usage: link.currentUsage,
    payment_url: link.paymentUrl,
    required_customer_detail: link.requiredCustomerDetail,
    expired_at: link.expiredAtMs === undefined ? null : jakartaDateTime(Number(link.expiredAtMs)),
    created_at: jakartaDateTime(Number(link.createdAtMs)),
    updated_at: jakartaDateTime(Number(link.updatedAtMs)),
  };
}

/** A history likewise. */
export function presentHistoryForWebhook(history: PaymentLinkHistory): HistoryForWebhookJson {
  const { figures } = history;
  return {
    id: Number(history.id),
    reff_no: history.reffNo,
    status: statusWord(HISTORY_WORDS, history.status),
    amount: amountNumber(history.amountSen),
    vendor_fee: figures === undefined ? null : rupiah(figures.vendorFeeSen),
    our_margin: figures === undefined ? null : rupiah(figures.ourMarginSen),
    net_amount: figures === undefined ? null : rupiah(figures.netSen),
    payment_method_name: textOrNull(history.paymentMethod),
    payment_method_value: textOrNull(history.paymentMethodValue),
    payment_method_additional: null,
    customer_name: textOrNull(history.customerName),
    customer_email: textOrNull(history.customerEmail),
    customer_phone: textOrNull(history.customerPhone),
    ip_address: history.ipAddress,
    expired_at: jakartaDateTime(Number(history.expiredAtMs)),
    created_at: jakartaDateTime(Number(history.createdAtMs)),
    updated_at: jakartaDateTime(Number(history.updatedAtMs)),
  };
}

function amountNumber(sen: bigint): z.output<typeof amountNumberSchema> {
  return { value: rupiah(sen), currency: 'IDR' };
}

function rupiah(sen: bigint): number {
  return Number(formatSen(sen));
}
