import { cardChargebackWebhook } from './card-chargeback.ts';
import { cardTransactionWebhook } from './card-webhook.ts';
import { cardlessWithdrawalWebhook } from './cardless-withdrawal.ts';
import { directDebitWebhooks } from './direct-debit-webhook.ts';
import { ewalletTopupWebhook } from './ewallet-topup.ts';
import {
  ewalletTransactionWebhook,
  expirationWebhooks,
  inquiryExpiredWebhook,
  inquiryWebhook,
  paymentLinkTransactionWebhook,
  qrisTransactionWebhook,
  retailTransactionWebhook,
  vaTransactionWebhook,
} from './money-in-webhook.ts';
import { disbursementWebhook } from './money-out-webhook.ts';
import { billerPaymentWebhook } from './prepaid.ts';
import { qrisIssuerWebhook } from './qris-payment.ts';
import { subscriptionWebhooks } from './subscription-webhook.ts';
import type { DomainEvent, RenderedKind, Webhook, WebhookKind } from './webhook-event.ts';

/** What one type of event means for merchants. `schema` is the newest version of its payload that this program reads. */
export type CatalogueEntry = { schema: number } & (RenderedKind | { noWebhook: string });

/** Every type of event that each service publishes. */
export type EventCatalogue = Readonly<Record<string, Readonly<Record<string, CatalogueEntry>>>>;

const webhook = (kind: RenderedKind, schema = 1): CatalogueEntry => ({ schema, ...kind });
/** `because` says why merchants get no webhook. */
const noWebhook = (because: string, schema = 1): CatalogueEntry => ({ schema, noWebhook: because });

const BY_REQUEST = 'the answer to the request says it';
const CONFIGURATION = 'it is configuration, which other services follow';

/**
 * The closed list of events (architecture §3): a service can publish only what is listed here, see `EventType`. A new type is one
 * line here, and for a webhook one sample in services/notifier/test/webhooks/samples.ts. A payload that older programs cannot
 * read takes the next schema number.
 */
export const EVENT_CATALOGUE = {
  merchant: {
    'merchant.created': noWebhook(CONFIGURATION),
    'merchant.updated': noWebhook(CONFIGURATION),
    'account.created': noWebhook(BY_REQUEST),
    'account.updated': noWebhook(BY_REQUEST),
  },
  'money-in': {
    'virtual-account.changed': noWebhook(BY_REQUEST),
    'virtual-account.deleted': noWebhook(BY_REQUEST),
    'virtual-account.expired': webhook(expirationWebhooks.virtualAccount),
    'va-transaction.paid': webhook(vaTransactionWebhook),
    'qris.paid': webhook(qrisTransactionWebhook),
    'qris.reversed': webhook(qrisTransactionWebhook),
    'qris.expired': webhook(expirationWebhooks.qris),
    'ewallet-checkout.paid': webhook(ewalletTransactionWebhook),
    'ewallet-checkout.failed': webhook(ewalletTransactionWebhook),
    'ewallet-checkout.reversed': webhook(ewalletTransactionWebhook),
    'ewallet-checkout.expired': webhook(expirationWebhooks.ewalletCheckout),
    'retail.paid': webhook(retailTransactionWebhook),
    'retail.expired': webhook(expirationWebhooks.retail),
    'payment-link.changed': noWebhook(BY_REQUEST),
    'payment-link.deleted': noWebhook(BY_REQUEST),
    'payment-link.expired': webhook(expirationWebhooks.paymentLink),
    'payment-link-history.opened': webhook(inquiryWebhook),
    'payment-link-history.paid': webhook(paymentLinkTransactionWebhook),
    'payment-link-history.reversed': webhook(paymentLinkTransactionWebhook),
    'payment-link-history.expired': webhook(inquiryExpiredWebhook),
  },
  'money-out': {
    'disbursement.accepted': noWebhook('the webhook of a disbursement is about its end'),
    'disbursement.succeeded': webhook(disbursementWebhook),
    'disbursement.failed': webhook(disbursementWebhook),
    'disbursement.canceled': webhook(disbursementWebhook),
    'disbursement.refunded': webhook(disbursementWebhook),
    'account-transfer.succeeded': noWebhook(BY_REQUEST),
    'ewallet-topup.accepted': noWebhook('the webhook of an e-wallet top-up is about its end'),
    'ewallet-topup.succeeded': webhook(ewalletTopupWebhook),
    'ewallet-topup.failed': webhook(ewalletTopupWebhook),
    'ewallet-topup.canceled': webhook(ewalletTopupWebhook),
    'ewallet-topup.refunded': webhook(ewalletTopupWebhook),
    'cardless-withdrawal.accepted': noWebhook('the webhook of a cardless withdrawal is about its end'),
    'cardless-withdrawal.succeeded': webhook(cardlessWithdrawalWebhook),
    'cardless-withdrawal.failed': webhook(cardlessWithdrawalWebhook),
    'cardless-withdrawal.canceled': webhook(cardlessWithdrawalWebhook),
    'cardless-withdrawal.refunded': webhook(cardlessWithdrawalWebhook),
    'qris-issuer.accepted': noWebhook('the webhook of a payment is about its end'),
    'qris-issuer.succeeded': webhook(qrisIssuerWebhook),
    'qris-issuer.failed': webhook(qrisIssuerWebhook),
    'qris-issuer.canceled': webhook(qrisIssuerWebhook),
    'qris-issuer.refunded': webhook(qrisIssuerWebhook),
  },
  biller: {
    'biller-payment.accepted': noWebhook('the webhook of a payment is about its end'),
    'biller-payment.succeeded': webhook(billerPaymentWebhook),
    'biller-payment.failed': webhook(billerPaymentWebhook),
  },
  'direct-debit': {
    'direct-debit.binding.succeeded': webhook(directDebitWebhooks.bindingSucceeded),
    'direct-debit.binding.failed': webhook(directDebitWebhooks.bindingFailed),
    'direct-debit.binding.expired': webhook(directDebitWebhooks.bindingExpired),
    'direct-debit.unbinding.succeeded': webhook(directDebitWebhooks.unbindingSucceeded),
    'direct-debit.unbinding.failed': webhook(directDebitWebhooks.unbindingFailed),
    'direct-debit.charge.succeeded': webhook(directDebitWebhooks.chargeSucceeded),
    'direct-debit.charge.failed': webhook(directDebitWebhooks.chargeFailed),
    'direct-debit.refund.succeeded': webhook(directDebitWebhooks.refundSucceeded),
    'direct-debit.refund.failed': webhook(directDebitWebhooks.refundFailed),
  },
  cards: {
    'card-transaction.succeeded': webhook(cardTransactionWebhook),
    'card-transaction.failed': webhook(cardTransactionWebhook),
    'card-transaction.cancelled': webhook(cardTransactionWebhook),
    'card-transaction.refunded': webhook(cardTransactionWebhook),
    'subscription.activated': webhook(subscriptionWebhooks.activated),
    'subscription.charge.succeeded': webhook(subscriptionWebhooks.chargeSucceeded),
    'subscription.charge.failed': webhook(subscriptionWebhooks.chargeFailed),
    'subscription.past_due': webhook(subscriptionWebhooks.pastDue),
    'subscription.cancelled': webhook(subscriptionWebhooks.cancelled),
    'subscription.completed': webhook(subscriptionWebhooks.completed),
    'subscription.card_expiring': webhook(subscriptionWebhooks.cardExpiring),
    'card-transaction.decided': noWebhook('what it has changed has a webhook of its own'),
    'card-chargeback.opened': webhook(cardChargebackWebhook),
    'card-chargeback.won': webhook(cardChargebackWebhook),
    'card-chargeback.lost': webhook(cardChargebackWebhook),
  },
} as const satisfies EventCatalogue;

/** The webhooks that merchants can get, one for each event name, in the order of the catalogue. */
export const WEBHOOKS: readonly WebhookKind[] = webhooksOf(EVENT_CATALOGUE);

function webhooksOf(catalogue: EventCatalogue): WebhookKind[] {
  const kinds = new Map<string, WebhookKind>();
  for (const entry of Object.values(catalogue).flatMap((ofService) => Object.values(ofService))) {
    if ('noWebhook' in entry || kinds.has(entry.event)) continue;
    const { event, setting, description, body } = entry;
    kinds.set(event, { event, setting, description, body });
  }
  return [...kinds.values()];
}

/** The services that publish events. */
export type EventSource = keyof typeof EVENT_CATALOGUE;

/** The types of event that a service may publish. */
export type EventType<Source extends EventSource = EventSource> = Source extends EventSource
  ? keyof (typeof EVENT_CATALOGUE)[Source]
  : never;

/** What an event means for its merchant. `unknown`: a newer program has published it, and this one cannot tell. */
export type PresentedEvent =
  | { outcome: 'webhook'; webhook: Webhook }
  | { outcome: 'no-webhook'; reason: string }
  | { outcome: 'unknown'; reason: string };

/**
 * Looks an event up in the catalogue and renders its webhook. Throws when the payload cannot be read: a newer program may read
 * it.
 */
export function presentEvent(catalogue: EventCatalogue, service: string, event: DomainEvent): PresentedEvent {
  const entry = entryOf(catalogue, service, event.type);
  if (entry === undefined) return { outcome: 'unknown', reason: `${service} has no event ${event.type} that is known here` };
  if (event.schema > entry.schema) {
    const reason = `${event.type} has schema ${event.schema}; this program reads up to ${entry.schema}`;
    return { outcome: 'unknown', reason };
  }
  if ('noWebhook' in entry) return { outcome: 'no-webhook', reason: entry.noWebhook };
  const { event: name, setting, render } = entry;
  const sealedToken = entry.sealedToken?.(event);
  const body = render(event);
  return { outcome: 'webhook', webhook: { event: name, setting, body, ...(sealedToken !== undefined && { sealedToken }) } };
}

/** Names come from messages: only a catalogue's own lines count, no inherited property. */
function entryOf(catalogue: EventCatalogue, service: string, type: string): CatalogueEntry | undefined {
  const ofService = Object.hasOwn(catalogue, service) ? catalogue[service] : undefined;
  return ofService !== undefined && Object.hasOwn(ofService, type) ? ofService[type] : undefined;
}
