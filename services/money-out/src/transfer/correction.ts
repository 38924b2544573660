import { type Refusal, refuse } from '@gerbang/core';
import type { TransferEvent } from './event.ts';
import {
  dueCompensation,
  type Ended,
  isEnded,
  type Released,
  type Resolution,
  type Succeeded,
  type TransferState,
} from './state.ts';

/** What may still become of a transfer that has ended: the rail contradicts itself, and operators or the ledger answer that. */
export type CorrectionCommand =
  /** The rail says that it has paid, or that it has not (any more); `isReturn`: that it had, and the money came back. */
  | { type: 'report'; isPaid: boolean; isReturn?: boolean; railReference: string; reason: string }
  /** A second operator agrees with what the first one proposed. */
  | { type: 'approve'; operator: string; outcome: Resolution }
  /** The rail has not answered yet whether it gives the money back that operators want back. */
  | { type: 'wait-for-refund'; reason: string }
  /** It will not. */
  | { type: 'refuse-refund'; reason: string }
  /** The ledger has booked the compensation of this number. */
  | { type: 'compensate'; number: number; balanceAfterSen: bigint }
  /** The ledger has refused the compensation of this number. */
  | { type: 'refuse-compensation'; number: number; reason: string };

/** Decides a correction. An empty list: nothing is to be corrected. Refusals: bad_request. */
export function decideCorrection(state: TransferState, command: CorrectionCommand, nowMs: number): TransferEvent[] | Refusal {
  if (!isEnded(state)) return refuse('bad_request', { message: `A transfer that is ${state.status} has nothing to correct` });
  switch (command.type) {
    case 'report':
      return decideReport(state, command, nowMs);
    case 'approve':
      return decideApproval(state, command, nowMs);
    case 'wait-for-refund':
    case 'refuse-refund':
      return decideRefund(state, command);
    case 'compensate':
    case 'refuse-compensation':
      return decideCompensation(state, command, nowMs);
    default:
      return command satisfies never;
  }
}

/**
 * A report is repeated as often as the rail likes and counts once. A returned payment whose rail reports it as paid, under the
 * same reference, is such a repetition: of what came before the return.
 */
function decideReport(state: Ended, command: Extract<CorrectionCommand, { type: 'report' }>, nowMs: number): TransferEvent[] {
  const { isPaid, isReturn = false, railReference, reason } = command;
  if (state.status === 'succeeded') {
    const isAsked = isReturn && state.refund !== undefined;
    return isPaid || state.returned !== undefined ? [] : [{ type: 'return-reported', reason, isAsked }];
  }
  if (!isPaid || state.paid !== undefined) return [];
  if (state.status === 'refunded' && state.railReference === railReference) return [];
  return [{ type: 'payment-reported', railReference, reason, reportedAtMs: nowMs }];
}

/** Why operators cannot propose this outcome for a transfer that has ended; undefined where they can. */
export function whyNotCorrect(state: Ended, outcome: Resolution): Refusal | undefined {
  const wrong = (message: string) => refuse('bad_request', { message });
  if (state.status === 'succeeded') {
    if (state.returned !== undefined) return wrong('The return of the money is being booked already');
    if (outcome === 'cancel') return wrong('The transfer has succeeded already: it can only be refunded');
    if (outcome === 'refund') return state.refund && wrong('The rail is asked for the refund already');
    // It ends the refund that is under way.
    return outcome === 'failed' || state.refund !== undefined ? undefined : wrong('The transfer has succeeded already');
  }
  if (outcome === 'cancel' || outcome === 'refund') return wrong(`The transfer is ${state.status} already`);
  if (state.paid?.isApproved) return wrong('The payment is being booked already');
  return outcome === 'succeeded' || state.paid !== undefined ? undefined : wrong(`The transfer is ${state.status} already`);
}

function decideApproval(
  state: Ended,
  { operator, outcome }: Extract<CorrectionCommand, { type: 'approve' }>,
  nowMs: number,
): TransferEvent[] | Refusal {
  const impossible = whyNotCorrect(state, outcome);
  if (impossible !== undefined) return impossible;
  if (state.proposal === undefined || state.proposal.outcome !== outcome || state.proposal.operator === operator)
    return refuse('bad_request', { message: 'Another operator has to propose this outcome first' });
  if (state.status === 'succeeded') return approveReturn(state, outcome, nowMs);
  return outcome === 'failed' ? [{ type: 'payment-dismissed' }] : approvePayment(state, nowMs);
}

function approveReturn({ refund }: Succeeded, outcome: Resolution, nowMs: number): TransferEvent[] {
  if (outcome === 'refund') return [{ type: 'refund-requested', askedAtMs: nowMs }];
  if (outcome === 'succeeded') return [{ type: 'refund-refused', reason: 'Operators want it no more' }];
  return [{ type: 'return-reported', reason: 'Operators say that the money came back', isAsked: refund !== undefined }];
}

/** Two that ask the rail for one refund may bring two answers. */
function decideRefund(
  state: Ended,
  command: Extract<CorrectionCommand, { type: 'wait-for-refund' | 'refuse-refund' }>,
): TransferEvent[] {
  if (state.status !== 'succeeded' || state.refund === undefined) return [];
  const type = command.type === 'refuse-refund' ? 'refund-refused' : 'refund-awaited';
  return [{ type, reason: command.reason }];
}

function approvePayment({ paid }: Released, nowMs: number): TransferEvent[] {
  if (paid !== undefined) return [{ type: 'payment-approved' }];
  const reason = 'Operators say that it was paid';
  return [
    { type: 'payment-reported', railReference: 'resolved by operators', reason, reportedAtMs: nowMs },
    { type: 'payment-approved' },
  ];
}

function decideCompensation(
  state: Ended,
  command: Extract<CorrectionCommand, { type: 'compensate' | 'refuse-compensation' }>,
  nowMs: number,
): TransferEvent[] | Refusal {
  const due = dueCompensation(state);
  if (due === undefined || due.number !== command.number) return [];
  if (command.type === 'compensate') {
    if (due.kind === 'returned') return [{ type: 'return-booked', processedAtMs: nowMs }];
    return [{ type: 'payment-booked', balanceAfterSen: command.balanceAfterSen, processedAtMs: nowMs }];
  }
  if (due.kind === 'returned') return refuse('bad_request', { message: 'The ledger does not refuse money that came back' });
  return [{ type: 'payment-refused', reason: command.reason }];
}
