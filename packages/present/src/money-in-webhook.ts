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

/** The resource of an event as its GET returns it. Throws when it cannot read the payload. */
type Resource = (event: DomainEvent) => object;

/** A webhook to `transaction_notif_url` whose data is the resource. */
export function transactionWebhook(name: string, resource: Resource): Renderer {
  return (event) => ({
    event: name,
    setting: 'transaction_notif_url',
    body: bodyOf(event, name, resource(event)),
  });
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
