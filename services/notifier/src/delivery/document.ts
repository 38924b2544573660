import { bodyHash, hashOfCanonical, type Json, type SealedToken } from '@gerbang/core';
import type { Due } from '@gerbang/store';
import type { Outcome } from '../event/outcome.ts';
import { aggregateOf, type ReceivedEvent } from '../event/received-event.ts';
import {
  type Attempt,
  type DeliveryState,
  dueAtMs,
  endpointOf,
  newDelivery,
  type RedeliveryRequest,
  type Requester,
  type StoredDelivery,
} from './delivery.ts';

/** The collection of events: a delivery and its event are one document. */
export const DELIVERIES = 'deliveries';

/** What is stored of an event. `unwanted` is the stored name of an event without a webhook. */
export type DeliveryDocument = Due & {
  _id: string;
  schema: number;
  status: DeliveryState['status'] | 'unwanted' | 'unreadable';
  version: number;
  service: string;
  merchant_id?: string;
  /** "<service>:<type>:<id>": its events go out in the order of `seq`. */
  aggregate?: string;
  seq?: bigint;
  type?: string;
  at?: Date;
  traceparent?: string;
  event?: string;
  url?: string;
  /** Null in a query finds the documents without an endpoint, which an earlier version has stored. */
  endpoint?: string | null;
  body?: string;
  body_hash?: string;
  signed?: boolean;
  /** Of a webhook with a token, which is null in its body. */
  sealed_token?: { reference_number: string; text: string };
  failures?: number;
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

/** How a claim is stored. */
export type LeaseFields = { lease_until: Date; lease_by: string };

/** A delivery as it is stored. Throws for an event that is no delivery. */
export function toStored(document: DeliveryDocument): StoredDelivery {
  const merchantId = required(document, 'merchant_id');
  const url = required(document, 'url');
  const body = required(document, 'body');
  const delivery = {
    id: document._id,
    merchantId,
    event: required(document, 'event'),
    url,
    // An earlier version stored neither of the two.
    endpoint: document.endpoint ?? endpointOf(merchantId, url),
    body,
    bodyHash: document.body_hash ?? hashOf(body),
    signed: required(document, 'signed'),
    ...sealedTokenOf(document),
    traceparent: required(document, 'traceparent'),
    atMs: required(document, 'at').getTime(),
    aggregate: required(document, 'aggregate'),
    seq: required(document, 'seq'),
    state: toState(document),
    attempts: (document.attempts ?? []).map(toAttempt),
    redeliveries: (document.redeliveries ?? []).map(toRequest),
  };
  return { delivery, version: document.version, awaited: document.awaited === true };
}

/** The document of a new event. `lease` is given where this process is to attempt it at once. */
export function newDocument(
  event: ReceivedEvent,
  outcome: Outcome,
  nowMs: number,
  lease: LeaseFields | undefined,
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
  switch (outcome.type) {
    case 'no-webhook':
      return { ...common, status: 'unwanted' };
    case 'unreadable':
      return { ...common, status: 'unreadable', reason: outcome.reason, event_schema: event.schema, payload: event.payload };
    case 'webhook': {
      const { type: _, sealedToken, ...webhook } = outcome;
      const known = { endpoint: endpointOf(event.merchantId, outcome.url), body_hash: hashOfCanonical(outcome.body) };
      const { set } = stateFields(newDelivery(nowMs));
      return { ...common, ...webhook, ...known, ...sealedFields(sealedToken), status: 'pending', ...set, ...lease, attempts: [] };
    }
    default:
      return outcome satisfies never;
  }
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

export function redeliveryDocument({ atMs, requestedBy }: RedeliveryRequest): RedeliveryDocument {
  const at = new Date(atMs);
  if ('clientId' in requestedBy) return { at, client_id: requestedBy.clientId };
  return { at, operator: requestedBy.operator, run: requestedBy.run };
}

type StateFields = { set: Partial<DeliveryDocument>; unset: (keyof DeliveryDocument)[] };

/** The fields of a delivery's state: those to set and those to remove. */
export function stateFields(state: DeliveryState): StateFields {
  const times: { [K in 'due_at' | 'redeliver_at' | 'next_attempt_at']: number | undefined } = {
    due_at: dueAtMs(state),
    redeliver_at: state.redeliverAtMs,
    next_attempt_at: state.status === 'pending' ? state.nextAttemptAtMs : undefined,
  };
  const result: StateFields = { set: { status: state.status }, unset: [] };
  if (state.status === 'pending') result.set.failures = state.failures;
  for (const field of ['due_at', 'redeliver_at', 'next_attempt_at'] as const) {
    const ms = times[field];
    if (ms === undefined) result.unset.push(field);
    else result.set[field] = new Date(ms);
  }
  return result;
}

/** A field that the document must have. Throws where it does not. */
export function required<K extends keyof DeliveryDocument>(
  document: DeliveryDocument,
  field: K,
): NonNullable<DeliveryDocument[K]> {
  const value: DeliveryDocument[K] = document[field];
  if (value === undefined || value === null) throw new Error(`event ${document._id} is ${document.status} without ${field}`);
  return value;
}

function sealedFields(sealedToken: SealedToken | undefined): Pick<DeliveryDocument, 'sealed_token'> {
  if (sealedToken === undefined) return {};
  return { sealed_token: { reference_number: sealedToken.referenceNumber, text: sealedToken.text } };
}

function sealedTokenOf({ sealed_token: sealed }: DeliveryDocument): { sealedToken?: SealedToken } {
  return sealed === undefined ? {} : { sealedToken: { referenceNumber: sealed.reference_number, text: sealed.text } };
}

function toState(document: DeliveryDocument): DeliveryState {
  const redeliverAtMs = document.redeliver_at?.getTime();
  switch (document.status) {
    case 'pending':
      return {
        status: 'pending',
        failures: required(document, 'failures'),
        nextAttemptAtMs: required(document, 'next_attempt_at').getTime(),
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

function toAttempt({ at, http_status: httpStatus, duration_ms: durationMs, answer, error }: AttemptDocument): Attempt {
  return { atMs: at.getTime(), httpStatus, durationMs, answer, error };
}

function toRequest({ at, client_id: clientId, operator = '', run = '' }: RedeliveryDocument): RedeliveryRequest {
  const requestedBy: Requester = clientId === undefined ? { operator, run } : { clientId };
  return { atMs: at.getTime(), requestedBy };
}

function hashOf(body: string): string {
  const json: Json = JSON.parse(body);
  return bodyHash(json);
}
