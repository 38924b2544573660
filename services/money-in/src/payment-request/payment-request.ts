import { type Refusal, refuse, refuseField } from '@gerbang/core';

/**
 * What a customer can pay, of any product, as a pure decider: active until it has been paid as often as it may be, or has
 * expired, or its merchant has deleted it, or it has failed. A payment first takes a use, which is then reserved for it, and
 * finishes it once the ledger has credited the money: so a use is counted once, also where a process dies in between.
 */
export type PaymentRequestState = {
  status: PaymentRequestStatus;
  /** Of a closed amount both are that amount. Sen. */
  minSen: bigint;
  maxSen: bigint;
  /** Undefined: any number of times. */
  maxUses: number | undefined;
  /** Payments that have been credited. */
  used: number;
  /** Who has taken a use that is not finished: payments, or openings of it. At most IN_FLIGHT_MAX. */
  inFlight: readonly string[];
  /** Unix milliseconds of business time; undefined: never. */
  expiresAtMs: number | undefined;
  /** When it ceased to be active. */
  endedAtMs: number | undefined;
};

export type PaymentRequestStatus = 'active' | 'completed' | 'expired' | 'inactive' | 'failed' | 'reversed';

/** How what was paid stands once its rail has taken the money back, where its product has a word for that. */
export type ReversedStatus = Extract<PaymentRequestStatus, 'reversed' | 'failed'>;

/** Why a payment does not fit. */
export type Mismatch = 'expired' | 'inactive' | 'used-up' | 'wrong-amount';

/** More payments than this at once, of one request, have to come again. */
export const IN_FLIGHT_MAX = 300;

export type PaymentRequestCommand =
  /**
   * Reserves a use. `paidAtMs` is the rail's transaction time, which decides whether it was in time (architecture §5). `issued`:
   * what was issued before is still good, however the request stands now.
   */
  | { type: 'take'; by: string; amountSen: bigint; paidAtMs: number; issued?: boolean }
  /** The ledger has credited what took a use. */
  | { type: 'finish'; by: string }
  /** What took a use has come to nothing. */
  | { type: 'release'; by: string }
  /** Its time is over. */
  | { type: 'expire' }
  /** The merchant does not want it any more. */
  | { type: 'delete' }
  /** The rail says that it will not be paid. */
  | { type: 'fail' }
  /** The rail has taken back what paid it. Its use stays used: it can't be paid again. */
  | { type: 'reverse'; as: ReversedStatus }
  | { type: 'change'; minSen: bigint; maxSen: bigint; maxUses: number | undefined; expiresAtMs: number | undefined };

export type PaymentRequestEvent =
  | { type: 'taken'; by: string }
  | { type: 'finished'; by: string; completed: boolean; atMs: number }
  | { type: 'released'; by: string }
  | { type: 'expired'; atMs: number }
  | { type: 'deleted'; atMs: number }
  | { type: 'failed'; atMs: number }
  | { type: 'reversed'; as: ReversedStatus }
  | { type: 'changed'; minSen: bigint; maxSen: bigint; maxUses: number | undefined; expiresAtMs: number | undefined };

/** One that has just been made. */
export function newPaymentRequest(
  given: Pick<PaymentRequestState, 'minSen' | 'maxSen'> & { maxUses?: number | undefined; expiresAtMs?: number | undefined },
): PaymentRequestState {
  const { minSen, maxSen, maxUses, expiresAtMs } = given;
  return { status: 'active', minSen, maxSen, maxUses, used: 0, inFlight: [], expiresAtMs, endedAtMs: undefined };
}

/**
 * Decides a command. An empty list: it has been done before, or does not matter any more. Refusals: bad_request (a change of one
 * that is not active), validation (max_usage), unavailable (too many payments at once). A payment that does not fit is no
 * refusal: see `mismatchOf`.
 */
export function decide(
  state: PaymentRequestState,
  command: PaymentRequestCommand,
  nowMs: number,
): PaymentRequestEvent[] | Refusal {
  switch (command.type) {
    case 'take':
      if (state.inFlight.includes(command.by)) return [];
      if (state.inFlight.length >= IN_FLIGHT_MAX) return refuse('unavailable', { retryAfterMs: 1_000 });
      return [{ type: 'taken', by: command.by }];
    case 'finish': {
      if (!state.inFlight.includes(command.by)) return [];
      const completed = state.maxUses !== undefined && state.used + 1 >= state.maxUses;
      return [{ type: 'finished', by: command.by, completed, atMs: nowMs }];
    }
    case 'release':
      return state.inFlight.includes(command.by) ? [{ type: 'released', by: command.by }] : [];
    case 'expire':
      return isOverdue(state, nowMs) ? [{ type: 'expired', atMs: nowMs }] : [];
    case 'delete':
      return state.status === 'active' ? [{ type: 'deleted', atMs: nowMs }] : [];
    case 'fail':
      return state.status === 'active' && state.inFlight.length === 0 ? [{ type: 'failed', atMs: nowMs }] : [];
    case 'reverse':
      return state.status === 'completed' ? [{ type: 'reversed', as: command.as }] : [];
    case 'change':
      return change(state, command);
    default:
      return command satisfies never;
  }
}

/** Why a payment (or a new session of a link) does not fit; undefined where it does. One that has taken a use already fits. */
export function mismatchOf(
  state: PaymentRequestState,
  command: Extract<PaymentRequestCommand, { type: 'take' }>,
): Mismatch | undefined {
  const { by, amountSen, paidAtMs, issued } = command;
  if (state.inFlight.includes(by) || issued) return undefined;
  if (state.maxUses !== undefined && state.used + state.inFlight.length >= state.maxUses) return 'used-up';
  if (state.expiresAtMs !== undefined && paidAtMs >= state.expiresAtMs) return 'expired';
  const isOver = state.status === 'inactive' || state.status === 'failed';
  if (isOver && (state.endedAtMs === undefined || paidAtMs >= state.endedAtMs)) return 'inactive';
  return amountSen < state.minSen || amountSen > state.maxSen ? 'wrong-amount' : undefined;
}

/** The state after an event. */
export function evolve(state: PaymentRequestState, event: PaymentRequestEvent): PaymentRequestState {
  switch (event.type) {
    case 'taken':
      return { ...state, inFlight: [...state.inFlight, event.by] };
    case 'finished': {
      const after = { ...without(state, event.by), used: state.used + 1 };
      return event.completed ? { ...after, status: 'completed', endedAtMs: event.atMs } : after;
    }
    case 'released':
      return without(state, event.by);
    case 'expired':
      return { ...state, status: 'expired', endedAtMs: event.atMs };
    case 'deleted':
      return { ...state, status: 'inactive', endedAtMs: event.atMs };
    case 'failed':
      return { ...state, status: 'failed', endedAtMs: event.atMs };
    case 'reversed':
      return { ...state, status: event.as };
    case 'changed': {
      const { minSen, maxSen, maxUses, expiresAtMs } = event;
      return { ...state, minSen, maxSen, maxUses, expiresAtMs };
    }
    default:
      return event satisfies never;
  }
}

/** Whether its time is over and nothing has ended it yet. */
export function isOverdue({ status, expiresAtMs }: PaymentRequestState, nowMs: number): boolean {
  return status === 'active' && expiresAtMs !== undefined && expiresAtMs <= nowMs;
}

/**
 * The moment that counts as the payment's. A rail that tells whole seconds may have meant any time up to the end of that second,
 * though none after its report; so what was paid right after the expiry does not slip in before it.
 */
export function effectivePaidAtMs(paidAtMs: number, receivedAtMs: number): number {
  if (paidAtMs % 1_000 !== 0) return paidAtMs;
  return Math.max(paidAtMs, Math.min(paidAtMs + 999, receivedAtMs));
}

function change(
  state: PaymentRequestState,
  command: Extract<PaymentRequestCommand, { type: 'change' }>,
): PaymentRequestEvent[] | Refusal {
  if (state.status !== 'active') return refuse('bad_request', { message: `It is ${state.status} and can't be changed any more` });
  const { minSen, maxSen, maxUses, expiresAtMs } = command;
  const taken = state.used + state.inFlight.length;
  if (maxUses !== undefined && (maxUses < taken || maxUses <= state.used)) {
    return refuseField('max_usage', `must be more than the ${taken} that are used already`);
  }
  return [{ type: 'changed', minSen, maxSen, maxUses, expiresAtMs }];
}

function without(state: PaymentRequestState, by: string): PaymentRequestState {
  return { ...state, inFlight: state.inFlight.filter((one) => one !== by) };
}
