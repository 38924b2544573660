import type { SealedToken } from '@gerbang/core';
import { type RetryPolicy, retryDelayMs } from './schedule.ts';

/** An event that is delivered to a merchant. */
export type Delivery = {
  /** Also the event's id. */
  id: string;
  merchantId: string;
  event: string;
  url: string;
  /** The endpoint whose share of attempts, sockets and memory it takes; see `endpointOf`. */
  endpoint: string;
  /** Normalized JSON, as it was rendered when the event was stored. */
  body: string;
  /** The hash of the body as signatures have it. */
  bodyHash: string;
  signed: boolean;
  /** What `data.token` of the body is when it is sent; absent where the body is sent as it is. */
  sealedToken?: SealedToken;
  traceparent: string;
  /** When the event occurred, business time. */
  atMs: number;
  aggregate: string;
  seq: bigint;
  state: DeliveryState;
  /** The newest attempts, oldest first. */
  attempts: Attempt[];
  /** The newest requests, oldest first. */
  redeliveries: RedeliveryRequest[];
};

/** A delivery as it was read. A later write is conditional on `version`. */
export type StoredDelivery = {
  delivery: Delivery;
  version: number;
  /** A later event of the transaction waits for this one, and must be woken when this one has ended. */
  awaited: boolean;
};

/** One try to deliver. `atMs`: when it began, business time. `error`: why it is no acknowledgement, in words for the merchant. */
export type Attempt = {
  atMs: number;
  httpStatus: number | undefined;
  durationMs: number;
  /** The first KiB of the endpoint's answer. */
  answer: string;
  error: string | undefined;
};

/** Who requests a redelivery: a credential of the merchant, or an operator in a run over many deliveries. */
export type Requester = { clientId: string } | { operator: string; run: string };

/** A request for one more attempt. `atMs` is business time. */
export type RedeliveryRequest = { atMs: number; requestedBy: Requester };

/** How a delivery stands. `redeliverAtMs`: the time of a request for one more attempt outside the schedule, with any status. */
export type DeliveryState = { redeliverAtMs: number | undefined } & (
  | { status: 'pending'; failures: number; nextAttemptAtMs: number }
  | { status: 'delivered' }
  | { status: 'failed' }
);

export type DeliveryCommand = { type: 'record'; attempt: Attempt; nowMs: number } | ({ type: 'redeliver' } & RedeliveryRequest);

type Recording = Extract<DeliveryCommand, { type: 'record' }>;

export type DeliveryEvent =
  | { type: 'attempted'; attempt: Attempt }
  | { type: 'acknowledged' }
  | { type: 'retry-scheduled'; failures: number; atMs: number }
  | { type: 'given-up' }
  | { type: 'redelivery-requested'; request: RedeliveryRequest }
  | { type: 'redelivery-done' };

/** The state of a new delivery. Its first attempt is due at once. */
export function newDelivery(nowMs: number): DeliveryState {
  return { status: 'pending', failures: 0, nextAttemptAtMs: nowMs, redeliverAtMs: undefined };
}

/** The endpoint that a merchant's URL belongs to: the merchant's id and the URL's origin. */
export function endpointOf(merchantId: string, url: string): string {
  return `${merchantId} ${URL.canParse(url) ? new URL(url).origin : ''}`;
}

/** The merchant and the origin of an endpoint. */
export function partsOfEndpoint(endpoint: string): { merchantId: string; origin: string } {
  const space = endpoint.indexOf(' ');
  return { merchantId: endpoint.slice(0, space), origin: endpoint.slice(space + 1) };
}

/**
 * Decides what the end of an attempt or a request for a redelivery changes (contract §10). It refuses nothing: the commands can
 * come in any order.
 */
export function decide(state: DeliveryState, command: DeliveryCommand, policy: RetryPolicy): DeliveryEvent[] {
  switch (command.type) {
    case 'redeliver': {
      const { atMs, requestedBy } = command;
      return [{ type: 'redelivery-requested', request: { atMs, requestedBy } }];
    }
    case 'record':
      return [
        { type: 'attempted', attempt: command.attempt },
        ...redelivery(state, command.attempt),
        ...outcome(state, command, policy),
      ];
    default:
      return command satisfies never;
  }
}

/** An attempt fulfils a request only when it began after the request. */
function redelivery(state: DeliveryState, attempt: Attempt): DeliveryEvent[] {
  const fulfilled = state.redeliverAtMs !== undefined && state.redeliverAtMs <= attempt.atMs;
  return fulfilled ? [{ type: 'redelivery-done' }] : [];
}

function outcome(state: DeliveryState, { attempt, nowMs }: Recording, policy: RetryPolicy): DeliveryEvent[] {
  if (isAcknowledged(attempt)) return state.status === 'delivered' ? [] : [{ type: 'acknowledged' }];
  // A delivery that was acknowledged once stays delivered, and a requested attempt uses up none of the schedule.
  if (state.status !== 'pending' || attempt.atMs < state.nextAttemptAtMs) return [];
  const failures = state.failures + 1;
  const delayMs = retryDelayMs(failures, policy);
  return delayMs === undefined ? [{ type: 'given-up' }] : [{ type: 'retry-scheduled', failures, atMs: nowMs + delayMs }];
}

export function evolve(state: DeliveryState, event: DeliveryEvent): DeliveryState {
  const { redeliverAtMs } = state;
  switch (event.type) {
    case 'attempted':
      return state;
    case 'acknowledged':
      return { status: 'delivered', redeliverAtMs };
    case 'retry-scheduled':
      return { status: 'pending', failures: event.failures, nextAttemptAtMs: event.atMs, redeliverAtMs };
    case 'given-up':
      return { status: 'failed', redeliverAtMs };
    case 'redelivery-requested':
      return { ...state, redeliverAtMs: event.request.atMs };
    case 'redelivery-done':
      return { ...state, redeliverAtMs: undefined };
    default:
      return event satisfies never;
  }
}

/** When the next attempt is due; undefined when there is none. */
export function dueAtMs(state: DeliveryState): number | undefined {
  if (state.status !== 'pending') return state.redeliverAtMs;
  return Math.min(state.nextAttemptAtMs, state.redeliverAtMs ?? state.nextAttemptAtMs);
}

/** A 2xx status is an acknowledgement (contract §10). An attempt without an answer in time has no status. */
export function isAcknowledged(attempt: Pick<Attempt, 'httpStatus'>): boolean {
  return attempt.httpStatus !== undefined && attempt.httpStatus >= 200 && attempt.httpStatus < 300;
}
