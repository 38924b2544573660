import type { SealedToken } from '@gerbang/core';
import type { z } from 'zod';

/** Which of a merchant's callback URLs an event goes to (merchant-api.md, Events). */
export type UrlSetting =
  | 'transaction_notif_url'
  | 'disbursement_notif_url'
  | 'direct_debit_notif_url'
  | 'payment_link_inquiry_notif_url';

/**
 * A webhook's event name, where it goes and its JSON body. `sealedToken` is what `data.token` will be, which is null in the body:
 * it is opened when the webhook is sent.
 */
export type Webhook = { event: string; setting: UrlSetting; body: object; sealedToken?: SealedToken };

/** What the webhooks of one event name have in common. `description` says when they are sent, `body` is their schema. */
export type WebhookKind<Body = unknown> = {
  event: string;
  setting: UrlSetting;
  description: string;
  body: z.ZodType<Body>;
};

/** An event as services publish it. */
export type DomainEvent = { type: string; schema: number; payload: Uint8Array; atMs: number };

/**
 * The webhook of one type of event: several types may have the same kind. `render` and `sealedToken` throw when they cannot read
 * the payload.
 */
export type RenderedKind = WebhookKind & {
  render: (event: DomainEvent) => object;
  sealedToken?: SealedTokenOf | undefined;
};

type SealedTokenOf = (event: DomainEvent) => SealedToken | undefined;

/** A webhook of this kind whose body is rendered so, with a token if the event carries one. */
export function renderedBy<Body extends object>(
  kind: WebhookKind<Body>,
  render: (event: DomainEvent) => Body,
  sealedToken?: SealedTokenOf,
): RenderedKind {
  return { ...kind, render, sealedToken };
}

/** The resource in an event's payload. Throws when the payload has none. */
export function carried<Resource>({ type }: DomainEvent, resource: Resource | undefined): Resource {
  if (resource === undefined) throw new Error(`${type} carries nothing`);
  return resource;
}
