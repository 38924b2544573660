import { type Refusal, refuse } from '@gerbang/core';
import { type Captured, isCaptured, type PaymentCommand, type PaymentEvent, type PaymentState, to } from './state.ts';

type DisputeCommand = Extract<PaymentCommand, { type: 'dispute' | 'end-dispute' }>;

/**
 * Chargebacks of a payment: each claims what the others have left of it, so that together they never take more than was paid.
 * Nothing is claimed while the payment's own money is on its way, nor of one that was given back. A claim stays with a payment that
 * was written off meanwhile: it is what suspense has not borne. Refusals, of `end-dispute`: unavailable (it is being written off).
 */
export function decideDispute(state: PaymentState, command: DisputeCommand): PaymentEvent[] | Refusal {
  switch (command.type) {
    case 'dispute': {
      if (state.status !== 'captured' && state.status !== 'settling' && state.status !== 'settled') return [];
      const disputes = state.capture.disputes ?? [];
      const leftSen = standingSen(state);
      if (disputes.some(({ id }) => id === command.id) || leftSen === 0n) return [];
      const sen = command.amountSen < leftSen ? command.amountSen : leftSen;
      return to({ ...state, capture: { ...state.capture, disputes: [...disputes, { id: command.id, sen }] } });
    }
    case 'end-dispute': {
      if (!isCaptured(state) || claimOf(state, command.id) === undefined || state.status === 'written-off') return [];
      // What suspense bears is counted from the claims, so that they stay until it is booked.
      if (state.status === 'withdrawing') return refuse('unavailable', { retryAfterMs: 1_000 });
      const { disputes = [], ...capture } = state.capture;
      const left = disputes.filter(({ id }) => id !== command.id);
      return to({ ...state, capture: { ...capture, ...(left.length > 0 && { disputes: left }) } });
    }
    default:
      return command satisfies never;
  }
}

/** What a chargeback has claimed of the payment, sen; undefined where it has claimed nothing. */
export function claimOf(state: PaymentState, id: string): bigint | undefined {
  return isCaptured(state) ? state.capture.disputes?.find((dispute) => dispute.id === id)?.sen : undefined;
}

/** Whether a chargeback of it is open or was lost. */
export function isDisputed({ capture }: Captured): boolean {
  return capture.disputes !== undefined && capture.disputes.length > 0;
}

/** What chargebacks have left of the payment, sen. */
export function standingSen({ authorisation: { fees }, capture: { disputes = [] } }: Captured): bigint {
  return disputes.reduce((left, { sen }) => left - sen, fees.netSen + fees.feeSen);
}
