import { formatSen, jakartaDateTime, toMoney } from '@gerbang/core';
import type { PaymentLink, PaymentLinkHistory } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { HISTORY_WORDS, PAYMENT_LINK_WORDS, statusWord } from './payable-status.ts';
import { iso, isoOrNull } from './time.ts';

/** A payment link as the merchant's API shows it (contract §5). */
export function presentPaymentLink(link: PaymentLink): object {
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
export function presentHistory(history: PaymentLinkHistory): object {
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
    payment_method_name: methodName(history.paymentMethod),
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

/**
 * A link as the inquiry webhooks carry it: amounts are numbers, times `Y-m-d H:i:s` in Asia/Jakarta (merchant-api.md,
 * payment_link.inquiry).
 */
export function presentPaymentLinkForWebhook(link: PaymentLink): object {
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
export function presentHistoryForWebhook(history: PaymentLinkHistory): object {
  const { figures } = history;
  return {
    id: Number(history.id),
    reff_no: history.reffNo,
    status: statusWord(HISTORY_WORDS, history.status),
    amount: amountNumber(history.amountSen),
    vendor_fee: figures === undefined ? null : rupiah(figures.vendorFeeSen),
    our_margin: figures === undefined ? null : rupiah(figures.ourMarginSen),
    net_amount: figures === undefined ? null : rupiah(figures.netSen),
    payment_method_name: methodName(history.paymentMethod),
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

/** The method's code names it; null until one is chosen. */
function methodName(code: string): string | null {
  return textOrNull(code);
}

function amountNumber(sen: bigint): object {
  return { value: rupiah(sen), currency: 'IDR' };
}

function rupiah(sen: bigint): number {
  return Number(formatSen(sen));
}

function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}
