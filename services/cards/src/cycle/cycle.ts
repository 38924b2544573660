/** Retries of a charge that has failed, without its customer. */
export const RETRIES_MAX = 3;

/** What a cycle is of; never changes. */
export type CycleOrder = { planId: string; cycle: number; merchantId: string; amountSen: bigint; dueAtMs: number };

/** A charge by one payment. `customer`: the one who has just entered the card; it is not tried again without a new one. */
export type Attempt = { paymentId: string; initiatedBy: 'customer' | 'merchant'; startedAtMs: number };
export type Failure = { code: string; reason: string };

/** One charge of a plan. processing → success; → retrying → processing; → failed → processing with another card. */
export type CycleState = { attempts: number; attempt: Attempt } & (
  | { status: 'processing' }
  | { status: 'retrying'; failure: Failure; retryAtMs: number }
  | { status: 'failed'; failure: Failure; endedAtMs: number }
  | { status: 'success'; endedAtMs: number }
);

export type CycleCommand =
  | { type: 'paid'; paymentId: string }
  /** `isLast`: it is not tried again. */
  | { type: 'declined'; paymentId: string; failure: Failure; retryMs: number; isLast: boolean }
  | { type: 'retry'; paymentId: string }
  /** The customer has entered another card. */
  | { type: 'charge-again'; paymentId: string }
  /** Its plan has ended before it was tried again. */
  | { type: 'abandon' };

export type CyclePublished = 'subscription.charge.succeeded' | 'subscription.charge.failed';
export type CycleEvent = { type: 'changed'; state: CycleState; published: CyclePublished | undefined };

export function beginCycle(attempt: Attempt): CycleState {
  return { status: 'processing', attempts: 1, attempt };
}

/** Decides a command. An empty list: it has been done before, or is about a charge that is over. */
export function decide(state: CycleState, command: CycleCommand, nowMs: number): CycleEvent[] {
  const { attempts, attempt } = state;
  switch (command.type) {
    case 'paid':
      return state.status === 'processing' && attempt.paymentId === command.paymentId
        ? to({ status: 'success', attempts, attempt, endedAtMs: nowMs }, 'subscription.charge.succeeded')
        : [];
    case 'declined': {
      if (state.status !== 'processing' || attempt.paymentId !== command.paymentId) return [];
      const { failure, isLast, retryMs } = command;
      if (isLast || attempt.initiatedBy === 'customer' || attempts > RETRIES_MAX)
        return to({ status: 'failed', attempts, attempt, failure, endedAtMs: nowMs }, 'subscription.charge.failed');
      return to({ status: 'retrying', attempts, attempt, failure, retryAtMs: nowMs + retryMs }, 'subscription.charge.failed');
    }
    case 'retry': {
      if (state.status !== 'retrying' || nowMs < state.retryAtMs) return [];
      const next = { paymentId: command.paymentId, initiatedBy: 'merchant' as const, startedAtMs: nowMs };
      return to({ status: 'processing', attempts: attempts + 1, attempt: next });
    }
    case 'charge-again': {
      if (state.status !== 'failed') return [];
      const next = { paymentId: command.paymentId, initiatedBy: 'customer' as const, startedAtMs: nowMs };
      return to({ status: 'processing', attempts: attempts + 1, attempt: next });
    }
    case 'abandon':
      return state.status === 'retrying'
        ? to({ status: 'failed', attempts, attempt, failure: state.failure, endedAtMs: nowMs })
        : [];
    default:
      return command satisfies never;
  }
}

function to(state: CycleState, published?: CyclePublished): CycleEvent[] {
  return [{ type: 'changed', state, published }];
}
