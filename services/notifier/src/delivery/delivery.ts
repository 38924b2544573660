import { type RetryPolicy, retryDelayMs } from './schedule.ts';

/** One try to deliver. `atMs`: when it began, business time; `error` says why it was no acknowledgement, in words for the merchant. */
export type Attempt = {
  atMs: number;
  httpStatus: number | undefined;
  durationMs: number;
  /** The first KiB of what the endpoint answered. */
  answer: string;
  error: string | undefined;
};

/** Who has asked for a redelivery: a credential of the merchant, or an operator in a run over many. */
export type Asker = { clientId: string } | { operator: string; run: string };

/** A wish for one more attempt; `atMs` is business time. */
export type Redelivery = { atMs: number; by: Asker };

/**
 * How a delivery stands. `redeliverAtMs`: the merchant has asked, at that time, for one more attempt outside of the schedule, whatever the status.
 */
export type DeliveryState = { redeliverAtMs: number | undefined } & (
  | { status: 'pending'; failures: number; nextAttemptAtMs: number }
  | { status: 'delivered' }
  | { status: 'failed' }
);

export type DeliveryCommand =
  | { type: 'record'; attempt: Attempt; nowMs: number }
  | { type: 'redeliver'; atMs: number; by: Asker };

type Recording = Extract<DeliveryCommand, { type: 'record' }>;

export type DeliveryEvent =
  | { type: 'attempted'; attempt: Attempt }
  | { type: 'acknowledged' }
  | { type: 'retry-scheduled'; failures: number; atMs: number }
  | { type: 'given-up' }
  | { type: 'redelivery-requested'; atMs: number; by: Asker }
  | { type: 'redelivery-done' };

/** A delivery whose first attempt is due when its event is stored. */
export function newDelivery(nowMs: number): DeliveryState {
  return { status: 'pending', failures: 0, nextAttemptAtMs: nowMs, redeliverAtMs: undefined };
}

/** What an attempt's end, or a wish for a redelivery, means for a delivery (contract §10). Nothing is refused: every order of commands can happen. */
export function decide(state: DeliveryState, command: DeliveryCommand, policy: RetryPolicy): DeliveryEvent[] {
  switch (command.type) {
    case 'redeliver':
      return [{ type: 'redelivery-requested', atMs: command.atMs, by: command.by }];
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

/** An attempt that began after the wish fulfils it; one that was in flight already does not. */
function redelivery(state: DeliveryState, attempt: Attempt): DeliveryEvent[] {
  const fulfilled = state.redeliverAtMs !== undefined && state.redeliverAtMs <= attempt.atMs;
  return fulfilled ? [{ type: 'redelivery-done' }] : [];
}

function outcome(state: DeliveryState, { attempt, nowMs }: Recording, policy: RetryPolicy): DeliveryEvent[] {
  if (isAcknowledged(attempt)) return state.status === 'delivered' ? [] : [{ type: 'acknowledged' }];
  // What was acknowledged once stays delivered; and an attempt asked for out of turn uses up none of the schedule.
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
      return { ...state, redeliverAtMs: event.atMs };
    case 'redelivery-done':
      return { ...state, redeliverAtMs: undefined };
    default:
      return event satisfies never;
  }
}

/** When the delivery is to be attempted next; undefined when it is not. */
export function dueAtMs(state: DeliveryState): number | undefined {
  if (state.status !== 'pending') return state.redeliverAtMs;
  return Math.min(state.nextAttemptAtMs, state.redeliverAtMs ?? state.nextAttemptAtMs);
}

/** 2xx is an acknowledgement (contract §10); an attempt that ran out of time has no status. */
export function isAcknowledged(attempt: Pick<Attempt, 'httpStatus'>): boolean {
  return attempt.httpStatus !== undefined && attempt.httpStatus >= 200 && attempt.httpStatus < 300;
}
