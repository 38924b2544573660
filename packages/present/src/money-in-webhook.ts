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
import type { DomainEvent, Webhook } from './webhook-event.ts';

/** What merchants are told of money in (contract §10); undefined for what is kept for the record alone. */
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
      return transaction(event, 'qris-transaction', qris(event));
    case 'ewallet-checkout.paid':
    case 'ewallet-checkout.failed':
      return transaction(event, 'ewallet-transaction', ewallet(event));
    case 'retail.paid':
      return transaction(event, 'retail-transaction', retail(event));
    case 'payment-link-history.paid':
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

function transaction(event: DomainEvent, name: string, data: object): Webhook {
  return { event: name, setting: 'transaction_notif_url', body: bodyOf(event, name, data) };
}

function expiration(event: DomainEvent, product: string, resource: object): Webhook {
  return transaction(event, 'money-in-expiration', { product, transaction: resource });
}

function inquiry(event: DomainEvent, name: string): Webhook {
  const { history, link } = historyOf(event);
  const data = { payment_link_history: presentHistoryForWebhook(history), payment_link: presentPaymentLinkForWebhook(link) };
  return { event: name, setting: 'payment_link_inquiry_notif_url', body: bodyOf(event, name, data) };
}

function bodyOf({ atMs }: DomainEvent, event: string, data: object): object {
  return { status: 200, success: true, event, timestamp: jakartaTimestamp(atMs), data };
}

function qris(event: DomainEvent): object {
  return presentQrisTransaction(carried(event, fromBinary(QrisEventSchema, event.payload).qrisTransaction));
}

function ewallet(event: DomainEvent): object {
  return presentEwalletCheckout(carried(event, fromBinary(EwalletCheckoutEventSchema, event.payload).ewalletCheckout));
}

function retail(event: DomainEvent): object {
  return presentRetailTransaction(carried(event, fromBinary(RetailEventSchema, event.payload).retailTransaction));
}

function historyOf(event: DomainEvent) {
  const { paymentLinkHistory, paymentLink } = fromBinary(PaymentLinkHistoryEventSchema, event.payload);
  return { history: carried(event, paymentLinkHistory), link: carried(event, paymentLink) };
}

function carried<T>({ type }: DomainEvent, resource: T | undefined): T {
  if (resource === undefined) throw new Error(`${type} carries nothing`);
  return resource;
}
