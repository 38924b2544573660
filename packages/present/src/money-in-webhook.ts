import { fromBinary } from '@bufbuild/protobuf';
import { jakartaTimestamp } from '@gerbang/core';
import {
  EwalletCheckoutEventSchema,
  PaymentLinkEventSchema,
  PaymentLinkHistoryEventSchema,
  QrisEventSchema,
  RetailEventSchema,
  VaTransactionEventSchema,
  VirtualAccountEventSchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { presentEwalletCheckout } from './ewallet-checkout.ts';
import { presentHistory, presentHistoryForWebhook, presentPaymentLink, presentPaymentLinkForWebhook } from './payment-link.ts';
import { presentQrisTransaction } from './qris-transaction.ts';
import { presentRetailTransaction } from './retail-transaction.ts';
import { presentVaTransaction, presentVirtualAccount } from './virtual-account.ts';
import { carried, type DomainEvent, type Renderer } from './webhook-event.ts';

/** The webhook of an event of money in (contract §10); undefined for what is only kept for the record. */
export function presentMoneyInWebhook(event: DomainEvent): Webhook | undefined {
  const { type, payload } = event;
  switch (type) {
    case 'va-transaction.paid':
      return transaction(
        event,
        'va-transaction',
        presentVaTransaction(carried(event, fromBinary(VaTransactionEventSchema, payload).vaTransaction)),
      );
    case 'qris.paid':
    case 'qris.reversed':
      return transaction(event, 'qris-transaction', qris(event));
    case 'ewallet-checkout.paid':
    case 'ewallet-checkout.failed':
    case 'ewallet-checkout.reversed':
      return transaction(event, 'ewallet-transaction', ewallet(event));
    case 'retail.paid':
      return transaction(event, 'retail-transaction', retail(event));
    case 'payment-link-history.paid':
    case 'payment-link-history.reversed':
      return transaction(event, 'payment-link-transaction', presentHistory(historyOf(event).history));
    case 'virtual-account.expired':
      return expiration(
        event,
        'virtual-account',
        presentVirtualAccount(carried(event, fromBinary(VirtualAccountEventSchema, payload).virtualAccount)),
      );
    case 'qris.expired':
      return expiration(event, 'qris', qris(event));
    case 'ewallet-checkout.expired':
      return expiration(event, 'ewallet-checkout', ewallet(event));
    case 'retail.expired':
      return expiration(event, 'retail', retail(event));
    case 'payment-link.expired':
      return expiration(
        event,
        'payment-link',
        presentPaymentLink(carried(event, fromBinary(PaymentLinkEventSchema, payload).paymentLink)),
      );
    case 'payment-link-history.opened':
      return inquiry(event, 'payment_link.inquiry');
    case 'payment-link-history.expired':
      return inquiry(event, 'payment_link.inquiry.expired');
    default:
      return undefined;
  }
}

/** The webhook `money-in-expiration` of a product's resource. */
export function expirationWebhook(product: string, resource: Resource): Renderer {
  return transactionWebhook('money-in-expiration', (event) => ({ product, transaction: resource(event) }));
}

/** A webhook about one customer's session on a payment link, to `payment_link_inquiry_notif_url`. */
export function inquiryWebhook(name: string): Renderer {
  return (event) => {
    const { history, link } = historyOf(event);
    const data = { payment_link_history: presentHistoryForWebhook(history), payment_link: presentPaymentLinkForWebhook(link) };
    return { event: name, setting: 'payment_link_inquiry_notif_url', body: bodyOf(event, name, data) };
  };
}

export const virtualAccount: Resource = (event) =>
  presentVirtualAccount(carried(event, fromBinary(VirtualAccountEventSchema, event.payload).virtualAccount));

export const vaTransaction: Resource = (event) =>
  presentVaTransaction(carried(event, fromBinary(VaTransactionEventSchema, event.payload).vaTransaction));

export const qris: Resource = (event) =>
  presentQrisTransaction(carried(event, fromBinary(QrisEventSchema, event.payload).qrisTransaction));

export const ewalletCheckout: Resource = (event) =>
  presentEwalletCheckout(carried(event, fromBinary(EwalletCheckoutEventSchema, event.payload).ewalletCheckout));

export const retail: Resource = (event) =>
  presentRetailTransaction(carried(event, fromBinary(RetailEventSchema, event.payload).retailTransaction));

export const paymentLink: Resource = (event) =>
  presentPaymentLink(carried(event, fromBinary(PaymentLinkEventSchema, event.payload).paymentLink));

export const paymentLinkHistory: Resource = (event) => presentHistory(historyOf(event).history);

function historyOf(event: DomainEvent) {
  const { paymentLinkHistory, paymentLink } = fromBinary(PaymentLinkHistoryEventSchema, event.payload);
  return { history: carried(event, paymentLinkHistory), link: carried(event, paymentLink) };
}

function bodyOf({ atMs }: DomainEvent, event: string, data: object): object {
  return { status: 200, success: true, event, timestamp: jakartaTimestamp(atMs), data };
}
