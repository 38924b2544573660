import { isRefusal, type Refusal, refuse } from '@gerbang/core';

/**
 * The saga of every money-out transfer as a pure decider (architecture §5): created → sent → succeeded | failed. Of `created` nobody knows whether its
 * funds are held, and whether the rail has been called: the hold may still be refused, and then it vanishes. From `sent` on the money is held; only an
 * explicit answer of the rail, or two operators, end that. A rail that answers soon takes it from `created` to its end in one write.
 */
export type TransferState =
  | {
      status: 'created';
      /** The exact request, persisted before the rail is called, so that it is the same whenever it is sent again. */
      request: string;
    }
  | {
      status: 'sent';
      balanceAfterSen: bigint;
      request: string;
      /** How often the rail was asked for the outcome. */
      inquiries: number;
      /** Why the outcome is not known yet; empty before the first answer. */
      pendingReason: string;
      /** When it went to the operators, business time. */
      unresolvedAtMs: number | undefined;
      proposal: Proposal | undefined;
    }
  | { status: 'succeeded'; balanceAfterSen: bigint; railReference: string; processedAtMs: number }
  | { status: 'failed'; failedCode: string; failedReason: string; beneficiaryUnknown: boolean; processedAtMs: number };

/** What one operator proposes; another one has to agree. */
export type Proposal = { operator: string; outcome: Resolution };
export type Resolution = 'succeeded' | 'failed';

export type TransferCommand =
  /** The ledger holds the gross amount. */
  | { type: 'send'; balanceAfterSen: bigint }
  /** The rail could not tell the outcome yet. */
  | { type: 'wait'; reason: string; unresolved: boolean }
  /** The rail has said so, and the ledger has captured. */
  | { type: 'succeed'; railReference: string }
  /** The rail has said so, and the ledger has released. */
  | { type: 'fail'; code: string; reason: string; beneficiaryUnknown: boolean }
  | { type: 'propose'; operator: string; outcome: Resolution };

export type TransferEvent =
  | { type: 'sent'; balanceAfterSen: bigint }
  | { type: 'waited'; reason: string; unresolvedAtMs: number | undefined }
  | { type: 'succeeded'; railReference: string; processedAtMs: number }
  | { type: 'failed'; code: string; reason: string; beneficiaryUnknown: boolean; processedAtMs: number }
  | { type: 'resolution-proposed'; proposal: Proposal };

/** Decides a command. An empty list: it has been done before. Refusals: bad_request where the state does not allow it. */
export function decide(state: TransferState, command: TransferCommand, nowMs: number): TransferEvent[] | Refusal {
  switch (command.type) {
    case 'send':
      if (state.status !== 'created') return [];
      return [{ type: 'sent', balanceAfterSen: command.balanceAfterSen }];
    case 'wait': {
      if (state.status !== 'sent') return isFinal(state) ? [] : notSent(state);
      const unresolvedAtMs = state.unresolvedAtMs ?? (command.unresolved ? nowMs : undefined);
      return [{ type: 'waited', reason: command.reason, unresolvedAtMs }];
    }
    case 'succeed':
      if (state.status === 'succeeded') return [];
      if (state.status !== 'sent') return notSent(state);
      return [{ type: 'succeeded', railReference: command.railReference, processedAtMs: nowMs }];
    case 'fail': {
      if (state.status === 'failed') return [];
      if (state.status !== 'sent') return notSent(state);
      const { code, reason, beneficiaryUnknown } = command;
      return [{ type: 'failed', code, reason, beneficiaryUnknown, processedAtMs: nowMs }];
    }
    case 'propose':
      if (state.status !== 'sent' || state.unresolvedAtMs === undefined) {
        return refuse('bad_request', { message: 'Only a transfer whose outcome stayed unknown is resolved by operators' });
      }
      return [{ type: 'resolution-proposed', proposal: { operator: command.operator, outcome: command.outcome } }];
    default:
      return command satisfies never;
  }
}

/** Decides commands one after the other, each on the state after those before it; refused as soon as one is. */
export function decideAll(state: TransferState, commands: readonly TransferCommand[], nowMs: number): TransferEvent[] | Refusal {
  const events: TransferEvent[] = [];
  for (const command of commands) {
    const decided = decide(events.reduce(evolve, state), command, nowMs);
    if (isRefusal(decided)) return decided;
    events.push(...decided);
  }
  return events;
}

/** The state after an event. Events come from `decide`, so one that does not fit is a programmer's error. */
export function evolve(state: TransferState, event: TransferEvent): TransferState {
  switch (event.type) {
    case 'sent':
      if (state.status !== 'created') throw new Error(`a transfer that is ${state.status} cannot have the event ${event.type}`);
      return {
        status: 'sent',
        balanceAfterSen: event.balanceAfterSen,
        request: state.request,
        inquiries: 0,
        pendingReason: '',
        unresolvedAtMs: undefined,
        proposal: undefined,
      };
    case 'waited': {
      const sent = mustBeSent(state, event);
      return { ...sent, inquiries: sent.inquiries + 1, pendingReason: event.reason, unresolvedAtMs: event.unresolvedAtMs };
    }
    case 'succeeded': {
      const { balanceAfterSen } = mustBeSent(state, event);
      return { status: 'succeeded', balanceAfterSen, railReference: event.railReference, processedAtMs: event.processedAtMs };
    }
    case 'failed': {
      mustBeSent(state, event);
      const { code, reason, beneficiaryUnknown, processedAtMs } = event;
      return { status: 'failed', failedCode: code, failedReason: reason, beneficiaryUnknown, processedAtMs };
    }
    case 'resolution-proposed':
      return { ...mustBeSent(state, event), proposal: event.proposal };
    default:
      return event satisfies never;
  }
}

/** Whether nothing can change the transfer any more. */
export function isFinal(state: TransferState): boolean {
  return state.status === 'succeeded' || state.status === 'failed';
}

function notSent(state: TransferState): Refusal {
  return refuse('bad_request', { message: `A transfer that is ${state.status} cannot do this` });
}

function mustBeSent(state: TransferState, event: TransferEvent): Extract<TransferState, { status: 'sent' }> {
  if (state.status !== 'sent') throw new Error(`a transfer that is ${state.status} cannot have the event ${event.type}`);
  return state;
}
