import { canonicalJson, type Json, type SealedToken } from '@gerbang/core';
import { type EventCatalogue, presentEvent, type UrlSetting, type Webhook } from '@gerbang/present';
import type { CallbackSettings, WebhookSettings } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { ReceivedEvent } from './received-event.ts';

/**
 * What becomes of an event: a webhook to a URL, no webhook, or stored with the reason why it cannot be read or rendered.
 * `unknown`: the catalogue has no such type or schema, so the same is true of every event of this type.
 */
export type Outcome =
  | { type: 'webhook'; event: string; url: string; body: string; signed: boolean; sealedToken?: SealedToken }
  | { type: 'no-webhook' }
  | { type: 'unreadable'; reason: string; unknown: boolean };

/** An event as far as it is known without its merchant's settings. */
export type Rendered =
  | { event: ReceivedEvent; webhook: Webhook }
  | { event: ReceivedEvent; webhook: undefined; outcome: Outcome };

/** The outcomes by the names that metrics and rpc have. */
export const OUTCOME_NAMES: Readonly<Record<Outcome['type'], string>> = {
  webhook: 'webhook',
  'no-webhook': 'unwanted',
  unreadable: 'unreadable',
};

/**
 * Renders an event to its webhook. An event that the catalogue does not know, or whose payload cannot be rendered, is unreadable.
 */
export function render(catalogue: EventCatalogue, event: ReceivedEvent): Rendered {
  try {
    const presented = presentEvent(catalogue, event.service, event);
    switch (presented.outcome) {
      case 'webhook':
        return { event, webhook: presented.webhook };
      case 'no-webhook':
        return { event, webhook: undefined, outcome: { type: 'no-webhook' } };
      case 'unknown':
        return { event, webhook: undefined, outcome: { type: 'unreadable', reason: presented.reason, unknown: true } };
      default:
        return presented satisfies never;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { event, webhook: undefined, outcome: { type: 'unreadable', reason, unknown: false } };
  }
}

/**
 * The outcome of a webhook by the settings that were in force when its event occurred (contract §10). The body stays as it is
 * rendered here, as its own normalized JSON.
 */
export function outcomeOf(webhook: Webhook, settings: WebhookSettings): Outcome {
  if (settings.merchantId === '' || settings.settings === undefined)
    return { type: 'unreadable', reason: 'the merchant is unknown', unknown: false };
  const url = urlOf(webhook.setting, settings.settings);
  if (url === undefined || url === '') return { type: 'no-webhook' };
  const signed = webhook.event !== 'qris-issuer' || settings.settings.signatureEnabled;
  const json: Json = JSON.parse(JSON.stringify(webhook.body));
  const { event, sealedToken } = webhook;
  return { type: 'webhook', event, url, body: canonicalJson(json), signed, ...(sealedToken !== undefined && { sealedToken }) };
}

function urlOf(setting: UrlSetting, settings: CallbackSettings): string | undefined {
  switch (setting) {
    case 'transaction_notif_url':
      return settings.transactionNotifUrl;
    case 'disbursement_notif_url':
      return settings.disbursementNotifUrl;
    case 'direct_debit_notif_url':
      return settings.directDebitNotifUrl;
    case 'payment_link_inquiry_notif_url':
      return settings.paymentLinkInquiryNotifUrl;
    default:
      return setting satisfies never;
  }
}
