import { canonicalJson, type Json } from '@gerbang/core';
import { type EventCatalogue, presentEvent, type UrlSetting, type Webhook } from '@gerbang/present';
import type { CallbackSettings, WebhookSettings } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { Fate } from '../delivery/document.ts';
import type { ReceivedEvent } from './received-event.ts';

/** An event as far as it is known without asking for the merchant's settings. */
export type Rendered = { event: ReceivedEvent; webhook: Webhook } | { event: ReceivedEvent; webhook: undefined; fate: Fate };

/**
 * Renders an event to its webhook. One for which the catalogue has no webhook is unwanted; one that the catalogue does not know, or that can't be rendered,
 * is kept with its payload and the reason.
 */
export function render(catalogue: EventCatalogue, event: ReceivedEvent): Rendered {
  try {
    const presented = presentEvent(catalogue, event.service, event);
    switch (presented.outcome) {
      case 'webhook':
        return { event, webhook: presented.webhook };
      case 'no-webhook':
        return { event, webhook: undefined, fate: { type: 'unwanted' } };
      case 'unknown':
        return { event, webhook: undefined, fate: { type: 'unreadable', reason: presented.reason, unknown: true } };
      default:
        return presented satisfies never;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { event, webhook: undefined, fate: { type: 'unreadable', reason, unknown: false } };
  }
}

/** What becomes of a webhook, by the settings that were in force when its event occurred (contract §10). The body is frozen here, as its own normalized JSON. */
export function fateOf(webhook: Webhook, settings: WebhookSettings): Fate {
  if (settings.merchantId === '' || settings.settings === undefined)
    return { type: 'unreadable', reason: 'the merchant is unknown', unknown: false };
  const url = urlOf(webhook.setting, settings.settings);
  if (url === undefined || url === '') return { type: 'unwanted' };
  const signed = webhook.event !== 'qris-issuer' || settings.settings.signatureEnabled;
  const json: Json = JSON.parse(JSON.stringify(webhook.body));
  return { type: 'webhook', event: webhook.event, url, body: canonicalJson(json), signed };
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
