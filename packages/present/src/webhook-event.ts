import type { z } from 'zod';

/** Which of a merchant's callback URLs an event goes to (merchant-api.md, Events). */
export type UrlSetting =
  | 'transaction_notif_url'
  | 'disbursement_notif_url'
  | 'direct_debit_notif_url'
  | 'payment_link_inquiry_notif_url';

/** A webhook's event name, where it goes and its JSON body. */
export type Webhook = { event: string; setting: UrlSetting; body: object };

/** What the webhooks of one event name have in common. `description` says when they are sent, `body` is their schema. */
export type WebhookKind<Body = unknown> = {
  event: string;
  setting: UrlSetting;
  description: string;
  body: z.ZodType<Body>;
};

/** An event as services publish it. */
export type DomainEvent = { type: string; schema: number; payload: Uint8Array; atMs: number };

/** The webhook of one type of event: several types may have the same kind. `render` throws when it cannot read the payload. */
export type RenderedKind = WebhookKind & { render: (event: DomainEvent) => object };

/** A webhook of this kind whose body is rendered so. */
export function renderedBy<Body extends object>(kind: WebhookKind<Body>, render: (event: DomainEvent) => Body): RenderedKind {
  return { ...kind, render };
}

/** The resource in an event's payload. Throws when the payload has none. */
export function carried<Resource>({ type }: DomainEvent, resource: Resource | undefined): Resource {
  if (resource === undefined) throw new Error(`${type} carries nothing`);
  return resource;
}
