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
import { z } from 'zod';
import { ewalletCheckoutSchema, presentEwalletCheckout } from './ewallet-checkout.ts';
import { historySchema, paymentLinkSchema, presentHistory, presentPaymentLink } from './payment-link.ts';
import {
  historyForWebhookSchema,
  paymentLinkForWebhookSchema,
  presentHistoryForWebhook,
  presentPaymentLinkForWebhook,
} from './payment-link-for-webhook.ts';
import { presentQrisTransaction, qrisTransactionSchema } from './qris-transaction.ts';
import { presentRetailTransaction, retailTransactionSchema } from './retail-transaction.ts';
import { WebhookTimestamp } from './schemas.ts';
import { presentVaTransaction, presentVirtualAccount, vaTransactionSchema, virtualAccountSchema } from './virtual-account.ts';
import { carried, type DomainEvent, type RenderedKind, renderedBy, type UrlSetting } from './webhook-event.ts';

/** What tells an event of money in; `id` names the schema of its body. */
type Notification<Name extends string, Data> = {
  event: Name;
  setting?: UrlSetting;
  id: string;
  description: string;
  data: z.ZodType<Data>;
};

/** The body of every webhook about money in (contract §10). */
type NotificationBody<Name extends string, Data> = { status: 200; success: true; event: Name; timestamp: string; data: Data };

/** A kind of webhook about money in; its types of event say what their data is. */
export function notification<const Name extends string, Data>(about: Notification<Name, Data>) {
  const { event: name, setting = 'transaction_notif_url', id, description, data } = about;
  const body: z.ZodType<NotificationBody<Name, Data>> = z
    .strictObject({
      status: z.literal(200),
      success: z.literal(true),
      event: z.literal(name),
      timestamp: WebhookTimestamp,
      data,
    })
    .meta({ id, description });
  return (dataOf: (event: DomainEvent) => Data): RenderedKind =>
    renderedBy({ event: name, setting, description, body }, (event) => ({
      status: 200,
      success: true,
      event: name,
      timestamp: jakartaTimestamp(event.atMs),
      data: dataOf(event),
    }));
}

const virtualAccount = (event: DomainEvent) =>
  presentVirtualAccount(carried(event, fromBinary(VirtualAccountEventSchema, event.payload).virtualAccount));

const vaTransaction = (event: DomainEvent) =>
  presentVaTransaction(carried(event, fromBinary(VaTransactionEventSchema, event.payload).vaTransaction));

const qris = (event: DomainEvent) =>
  presentQrisTransaction(carried(event, fromBinary(QrisEventSchema, event.payload).qrisTransaction));

const ewalletCheckout = (event: DomainEvent) =>
  presentEwalletCheckout(carried(event, fromBinary(EwalletCheckoutEventSchema, event.payload).ewalletCheckout));

const retail = (event: DomainEvent) =>
  presentRetailTransaction(carried(event, fromBinary(RetailEventSchema, event.payload).retailTransaction));

const paymentLink = (event: DomainEvent) =>
  presentPaymentLink(carried(event, fromBinary(PaymentLinkEventSchema, event.payload).paymentLink));

function historyOf(event: DomainEvent) {
  const { paymentLinkHistory, paymentLink } = fromBinary(PaymentLinkHistoryEventSchema, event.payload);
  return { history: carried(event, paymentLinkHistory), link: carried(event, paymentLink) };
}

export const vaTransactionWebhook = notification({
  event: 'va-transaction',
  id: 'VaTransactionWebhook',
  description: 'A virtual account was paid.',
  data: vaTransactionSchema,
})(vaTransaction);

export const qrisTransactionWebhook = notification({
  event: 'qris-transaction',
  id: 'QrisTransactionWebhook',
  description: 'A QRIS code was paid, or the acquirer has taken its payment back.',
  data: qrisTransactionSchema,
})(qris);

export const ewalletTransactionWebhook = notification({
  event: 'ewallet-transaction',
  id: 'EwalletTransactionWebhook',
  description: 'The customer has paid in the e-wallet or has declined, or the e-wallet has taken the payment back.',
  data: ewalletCheckoutSchema,
})(ewalletCheckout);

export const retailTransactionWebhook = notification({
  event: 'retail-transaction',
  id: 'RetailTransactionWebhook',
  description: 'A customer has paid a payment code at a shop.',
  data: retailTransactionSchema,
})(retail);

export const paymentLinkTransactionWebhook = notification({
  event: 'payment-link-transaction',
  id: 'PaymentLinkTransactionWebhook',
  description: 'A payment link was paid, by any method, or the payment was taken back.',
  data: historySchema,
})((event) => presentHistory(historyOf(event).history));

/** What has expired, with the name of its product. */
const expiredSchema = z
  .discriminatedUnion('product', [
    z.strictObject({ product: z.literal('virtual-account'), transaction: virtualAccountSchema }),
    z.strictObject({ product: z.literal('qris'), transaction: qrisTransactionSchema }),
    z.strictObject({ product: z.literal('ewallet-checkout'), transaction: ewalletCheckoutSchema }),
    z.strictObject({ product: z.literal('retail'), transaction: retailTransactionSchema }),
    z.strictObject({ product: z.literal('payment-link'), transaction: paymentLinkSchema }),
  ])
  .meta({ id: 'MoneyInExpiration', description: 'What has expired, and its product.' });

const expiration = notification({
  event: 'money-in-expiration',
  id: 'MoneyInExpirationWebhook',
  description: 'What a customer could have paid has expired. Each expires once.',
  data: expiredSchema,
});

export const expirationWebhooks = {
  virtualAccount: expiration((event) => ({ product: 'virtual-account', transaction: virtualAccount(event) })),
  qris: expiration((event) => ({ product: 'qris', transaction: qris(event) })),
  ewalletCheckout: expiration((event) => ({ product: 'ewallet-checkout', transaction: ewalletCheckout(event) })),
  retail: expiration((event) => ({ product: 'retail', transaction: retail(event) })),
  paymentLink: expiration((event) => ({ product: 'payment-link', transaction: paymentLink(event) })),
};

const sessionSchema = z
  .strictObject({ payment_link_history: historyForWebhookSchema, payment_link: paymentLinkForWebhookSchema })
  .meta({ id: 'PaymentLinkSession', description: "A customer's session on a payment link." });

function session(event: DomainEvent): z.output<typeof sessionSchema> {
  const { history, link } = historyOf(event);
  return { payment_link_history: presentHistoryForWebhook(history), payment_link: presentPaymentLinkForWebhook(link) };
}

export const inquiryWebhook = notification({
  event: 'payment_link.inquiry',
  setting: 'payment_link_inquiry_notif_url',
  id: 'PaymentLinkInquiryWebhook',
  description: 'A customer has opened a payment link.',
  data: sessionSchema,
})(session);

export const inquiryExpiredWebhook = notification({
  event: 'payment_link.inquiry.expired',
  setting: 'payment_link_inquiry_notif_url',
  id: 'PaymentLinkInquiryExpiredWebhook',
  description: 'The session of a customer who had opened a payment link has ended without a payment.',
  data: sessionSchema,
})(session);
