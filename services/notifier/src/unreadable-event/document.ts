import { type DeliveryDocument, required } from '../delivery/document.ts';
import { type Unreadable, type UnreadableMessage, unreadableId } from './unreadable-event.ts';

/** The document of a message that cannot be read. */
export function unreadableDocument(message: UnreadableMessage, nowMs: number): DeliveryDocument {
  const { hash, service, bytes, reason } = message;
  return {
    _id: unreadableId(hash),
    schema: 1,
    version: 1,
    status: 'unreadable',
    service,
    at: new Date(nowMs),
    reason,
    payload: bytes,
  };
}

/** An unreadable event or message as it is stored. */
export function toUnreadable(document: DeliveryDocument): Unreadable {
  const { _id: id, service, version } = document;
  // Messages that an earlier version has stored have no time.
  const common = { id, service, version, atMs: document.at?.getTime() ?? 0, reason: required(document, 'reason') };
  const bytes = required(document, 'payload');
  if (document.aggregate === undefined) return { ...common, kind: 'message', bytes };
  const [, aggregateType = '', ...rest] = document.aggregate.split(':');
  const event = {
    eventId: id,
    service,
    aggregateType,
    aggregateId: rest.join(':'),
    merchantId: required(document, 'merchant_id'),
    seq: required(document, 'seq'),
    type: required(document, 'type'),
    atMs: required(document, 'at').getTime(),
    schema: required(document, 'event_schema'),
    payload: bytes,
    traceparent: required(document, 'traceparent'),
  };
  return { ...common, kind: 'event', event };
}
