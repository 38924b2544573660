import { bodyHash, hashOfCanonical, type Json } from '@gerbang/core';
import type { Due } from '@gerbang/store';
import type { ReceivedEvent } from '../event/received-event.ts';
import { type Asker, type Attempt, type DeliveryState, dueAtMs, newDelivery, type Redelivery } from './delivery.ts';

/**
 * What becomes of an event: sent to a URL, wanted by nobody, or kept with the reason why it can't be read or rendered. `unknown`: the catalogue has no such
 * type or schema, so the same is true of every event of this type.
 */
export type Fate =
  | { type: 'webhook'; event: string; url: string; body: string; signed: boolean }
  | { type: 'unwanted' }
  | { type: 'unreadable'; reason: string; unknown: boolean };

/** Something on the bus that is no message of ours; stored under a hash of its bytes. */
export type UnreadableMessage = { hash: string; service: string; bytes: Uint8Array; reason: string };

/** An event that is delivered to a merchant. */
export type Delivery = {
  /** Also the event's id. */
  id: string;
  merchantId: string;
  event: string;
  url: string;
  /** Whose share of attempts, sockets and memory it takes: the merchant's id and the URL's origin. */
  endpoint: string;
  /** Normalized JSON, as it was rendered when the event was stored. */
  body: string;
  /** As signatures have it. */
  bodyHash: string;
  signed: boolean;
  traceparent: string;
  /** When the event occurred, business time. */
  atMs: number;
  aggregate: string;
  seq: bigint;
  state: DeliveryState;
  /** The newest of both, oldest first. */
  attempts: Attempt[];
  redeliveries: Redelivery[];
};

/** A delivery as it was read, with what makes a later write conditional. */
export type StoredDelivery = { delivery: Delivery; document: DeliveryDocument };

/** Event and delivery in one document; field names here and in the store, and nowhere else. */
export type DeliveryDocument = Due & {
  _id: string;
  schema: number;
  status: DeliveryState['status'] | 'unwanted' | 'unreadable';
  version: number;
  service: string;
  merchant_id?: string;
  /** "<service>:<type>:<id>": within it the events go out in order of `seq`. */
  aggregate?: string;
  seq?: bigint;
  type?: string;
  at?: Date;
  traceparent?: string;
  event?: string;
  url?: string;
  /** Null is how the database is asked for those without one, of the version before. */
  endpoint?: string | null;
  body?: string;
  body_hash?: string;
  signed?: boolean;
  failures?: number;
  /** A successor was held back for this one, and is woken when it is over. */
  awaited?: boolean;
  next_attempt_at?: Date;
  redeliver_at?: Date;
  attempts?: AttemptDocument[];
  redeliveries?: RedeliveryDocument[];
  reason?: string;
  event_schema?: number;
  payload?: Uint8Array;
};

export type RedeliveryDocument = { at: Date; client_id?: string; operator?: string; run?: string };

export type AttemptDocument = { at: Date; http_status?: number; duration_ms: number; answer: string; error?: string };

export function toStored(document: DeliveryDocument): StoredDelivery {
  const merchantId = present(document, 'merchant_id');
  const url = present(document, 'url');
  const body = present(document, 'body');
  const delivery: Delivery = {
    id: document._id,
    merchantId,
    event: present(document, 'event'),
    url,
    // The version before stored neither of the two.
    endpoint: document.endpoint ?? endpointOf(merchantId, url),
    body,
    bodyHash: document.body_hash ?? hashOf(body),
    signed: present(document, 'signed'),
    traceparent: present(document, 'traceparent'),
    atMs: present(document, 'at').getTime(),
    aggregate: present(document, 'aggregate'),
    seq: present(document, 'seq'),
    state: toState(document),
    attempts: (document.attempts ?? []).map((attempt) => ({
      atMs: attempt.at.getTime(),
      httpStatus: attempt.http_status,
      durationMs: attempt.duration_ms,
      answer: attempt.answer,
      error: attempt.error,
    })),
    redeliveries: (document.redeliveries ?? []).map((wish) => ({ atMs: wish.at.getTime(), by: askerOf(wish) })),
  };
  return { delivery, document };
}

export function aggregateOf(event: ReceivedEvent): string {
  return `${event.service}:${event.aggregateType}:${event.aggregateId}`;
}

/** The endpoint that a merchant's URL names. */
export function endpointOf(merchantId: string, url: string): string {
  return `${merchantId} ${URL.canParse(url) ? new URL(url).origin : ''}`;
}

function hashOf(body: string): string {
  const json: Json = JSON.parse(body);
  return bodyHash(json);
}

/** The document of a new event; `lease` is there where this process is to attempt it at once. */
export function newDocument(
  event: ReceivedEvent,
  fate: Fate,
  nowMs: number,
  lease: { lease_until: Date; lease_by: string } | undefined,
): DeliveryDocument {
  const common = {
    _id: event.eventId,
    schema: 1,
    version: 1,
    service: event.service,
    merchant_id: event.merchantId,
    aggregate: aggregateOf(event),
    seq: event.seq,
    type: event.type,
    at: new Date(event.atMs),
    traceparent: event.traceparent,
  };
  switch (fate.type) {
    case 'unwanted':
      return { ...common, status: 'unwanted' };
    case 'unreadable':
      return { ...common, status: 'unreadable', reason: fate.reason, event_schema: event.schema, payload: event.payload };
    case 'webhook': {
      const { type: _, ...webhook } = fate;
      const endpoint = endpointOf(event.merchantId, fate.url);
      const { set } = stateFields(newDelivery(nowMs));
      const known = { endpoint, body_hash: hashOfCanonical(fate.body) };
      return { ...common, ...webhook, ...known, status: 'pending', ...set, ...lease, attempts: [] };
    }
    default:
      return fate satisfies never;
  }
}

export function unreadableId(hash: string): string {
  return `unreadable:${hash}`;
}

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

export function attemptDocument(attempt: Attempt): AttemptDocument {
  return {
    at: new Date(attempt.atMs),
    ...(attempt.httpStatus !== undefined && { http_status: attempt.httpStatus }),
    duration_ms: attempt.durationMs,
    answer: attempt.answer,
    ...(attempt.error !== undefined && { error: attempt.error }),
  };
}

export function redeliveryDocument({ atMs, by }: Redelivery): RedeliveryDocument {
  const at = new Date(atMs);
  return 'clientId' in by ? { at, client_id: by.clientId } : { at, operator: by.operator, run: by.run };
}

function askerOf({ client_id: clientId, operator = '', run = '' }: RedeliveryDocument): Asker {
  return clientId === undefined ? { operator, run } : { clientId };
}

type StateFields = { set: Partial<DeliveryDocument>; unset: (keyof DeliveryDocument)[] };

export function stateFields(state: DeliveryState): StateFields {
  const due = dueAtMs(state);
  const fields: { [K in 'due_at' | 'redeliver_at' | 'next_attempt_at']: number | undefined } = {
    due_at: due,
    redeliver_at: state.redeliverAtMs,
    next_attempt_at: state.status === 'pending' ? state.nextAttemptAtMs : undefined,
  };
  const result: StateFields = { set: { status: state.status }, unset: [] };
  if (state.status === 'pending') result.set.failures = state.failures;
  for (const field of ['due_at', 'redeliver_at', 'next_attempt_at'] as const) {
    const ms = fields[field];
    if (ms === undefined) result.unset.push(field);
    else result.set[field] = new Date(ms);
  }
  return result;
}

function toState(document: DeliveryDocument): DeliveryState {
  const redeliverAtMs = document.redeliver_at?.getTime();
  switch (document.status) {
    case 'pending':
      return {
        status: 'pending',
        failures: present(document, 'failures'),
        nextAttemptAtMs: present(document, 'next_attempt_at').getTime(),
        redeliverAtMs,
      };
    case 'delivered':
    case 'failed':
      return { status: document.status, redeliverAtMs };
    case 'unwanted':
    case 'unreadable':
      throw new Error(`event ${document._id} is ${document.status}: no delivery`);
    default:
      return document.status satisfies never;
  }
}

export function present<K extends keyof DeliveryDocument>(
  document: DeliveryDocument,
  field: K,
): NonNullable<DeliveryDocument[K]> {
  const value: DeliveryDocument[K] = document[field];
  if (value === undefined || value === null) throw new Error(`event ${document._id} is ${document.status} without ${field}`);
  return value;
}
