/** Which of a merchant's callback URLs an event goes to (merchant-api.md, Events). */
export type UrlSetting =
  | 'transaction_notif_url'
  | 'disbursement_notif_url'
  | 'direct_debit_notif_url'
  | 'payment_link_inquiry_notif_url';

/** A webhook's event name, where it goes and its JSON body. */
export type Webhook = { event: string; setting: UrlSetting; body: object };

/** An event as services publish it. */
export type DomainEvent = { type: string; schema: number; payload: Uint8Array; atMs: number };

/** Renders the webhook of one type of event. Throws when it cannot read the payload. */
export type Renderer = (event: DomainEvent) => Webhook;

/** The resource in an event's payload. Throws when the payload has none. */
export function carried<Resource>({ type }: DomainEvent, resource: Resource | undefined): Resource {
  if (resource === undefined) throw new Error(`${type} carries nothing`);
  return resource;
}
