import { isRefusal, type Refusal, refuse } from '@gerbang/core';
import { type CorrectionCommand, decideCorrection, whyNotCorrect } from './correction.ts';
import { evolve, type TransferEvent } from './event.ts';
import {
  type AcceptedFields,
  type CancelReason,
  type Failure,
  isEnded,
  isHeld,
  type Receipt,
  type Resolution,
  type TransferState,
} from './state.ts';

/**
 * The saga of every money-out transfer as a pure decider (architecture §5): created → sent → succeeded | failed | canceled |
 * refunded, with `canceling` between sent and its end where Gerbang wants it canceled. The rail's answer decides the end, in
 * `canceling` too; where it comes soon, acceptance and end are one write.
 */
export type TransferCommand =
  /** The ledger holds the gross amount. */
  | ({ type: 'send'; balanceAfterSen: bigint } & AcceptedFields)
  /** The rail does not know the outcome yet. */
  | { type: 'wait'; reason: string; unresolved: boolean; receipt: Receipt }
  /** The merchant wants it canceled, or its time is over. The rail is to be asked. */
  | { type: 'cancel'; reason: CancelReason }
  /** The rail has said so, and the ledger has captured. */
  | { type: 'succeed'; railReference: string; receipt: Receipt }
  /** The rail has said so, and the ledger has released. */
  | { type: 'fail'; failure: Failure }
  /**
   * The rail will not pay, since it was canceled or has expired, and the ledger has released. `reason` where the rail says which;
   * else it is why Gerbang wanted it canceled.
   */
  | { type: 'confirm-cancel'; reason?: CancelReason | undefined }
  /** The rail has paid and has the money back, and the ledger has released. */
  | { type: 'confirm-return'; railReference: string; reason: string }
  | { type: 'propose'; operator: string; outcome: Resolution }
  | CorrectionCommand;

/** Decides a command. An empty list: it has been done before. Refusals: bad_request where the state does not allow it. */
export function decide(state: TransferState, command: TransferCommand, nowMs: number): TransferEvent[] | Refusal {
  switch (command.type) {
    case 'send':
      return state.status === 'created' ? [{ ...command, type: 'sent' }] : [];
    case 'wait': {
      if (!isHeld(state)) return isEnded(state) ? [] : cannot(state);
      const unresolvedAtMs = state.unresolvedAtMs ?? (command.unresolved ? nowMs : undefined);
      return [{ type: 'waited', reason: command.reason, unresolvedAtMs, receipt: command.receipt }];
    }
    case 'cancel':
      if (state.status === 'created') return cannot(state);
      return state.status === 'sent' ? [{ type: 'cancel-requested', reason: command.reason }] : [];
    case 'succeed':
      if (state.status === 'succeeded' || state.status === 'refunded') return [];
      if (!isHeld(state)) return cannot(state);
      return [{ type: 'succeeded', railReference: command.railReference, receipt: command.receipt, processedAtMs: nowMs }];
    case 'fail':
    case 'confirm-cancel':
    case 'confirm-return':
      return decideRelease(state, command, nowMs);
    case 'propose':
      return decideProposal(state, command, nowMs);
    case 'report':
    case 'approve':
    case 'wait-for-refund':
    case 'refuse-refund':
    case 'compensate':
    case 'refuse-compensation':
      return decideCorrection(state, command, nowMs);
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

function decideRelease(
  state: TransferState,
  command: Extract<TransferCommand, { type: 'fail' | 'confirm-cancel' | 'confirm-return' }>,
  processedAtMs: number,
): TransferEvent[] | Refusal {
  if (isEnded(state) && state.status !== 'succeeded') return [];
  if (!isHeld(state)) return cannot(state);
  switch (command.type) {
    case 'fail':
      return [{ type: 'failed', failure: command.failure, processedAtMs }];
    case 'confirm-cancel': {
      const reason = command.reason ?? (state.status === 'canceling' ? state.cancelReason : 'canceled');
      return [{ type: 'canceled', reason, processedAtMs }];
    }
    case 'confirm-return':
      return [{ type: 'refunded', railReference: command.railReference, reason: command.reason, processedAtMs }];
    default:
      return command satisfies never;
  }
}

function decideProposal(
  state: TransferState,
  { operator, outcome }: Extract<TransferCommand, { type: 'propose' }>,
  nowMs: number,
): TransferEvent[] | Refusal {
  if (!isEnded(state) && (!isHeld(state) || state.unresolvedAtMs === undefined))
    return refuse('bad_request', { message: 'The rail may still answer for this transfer' });
  const impossible = isEnded(state) ? whyNotCorrect(state, outcome) : whyNotDecide(state, outcome);
  return impossible ?? [{ type: 'resolution-proposed', proposal: { operator, outcome, proposedAtMs: nowMs } }];
}

/** Why operators cannot propose this outcome for a transfer that is open; undefined where they can. */
function whyNotDecide(state: TransferState, outcome: Resolution): Refusal | undefined {
  if (outcome === 'refund') return refuse('bad_request', { message: 'The transfer has not succeeded: it can only be canceled' });
  const isCanceling = outcome === 'cancel' && state.status === 'canceling';
  return isCanceling ? refuse('bad_request', { message: 'The rail is asked to cancel the transfer already' }) : undefined;
}

function cannot(state: TransferState): Refusal {
  return refuse('bad_request', { message: `A transfer that is ${state.status} cannot do this` });
}
