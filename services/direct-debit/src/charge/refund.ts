import { type Refusal, refuse, refuseField } from '@gerbang/core';
import { delayAfter } from '../binding/schedule.ts';
import {
  type ChargeCommand,
  type ChargedState,
  type ChargeEvent,
  type ChargeState,
  isCharged,
  outOfPendingSen,
  type PublishedCharge,
  type Refund,
  type RefundStage,
  refundedSen,
} from './state.ts';

/** A charge is one document, so it has no more refunds than that. */
const REFUNDS_MAX = 50;
/** A refund whose process has died is taken up again this long after its last step; longer than all calls of a step. */
export const RESUME_AFTER_MS = 8_000;

export type RefundCommand = Extract<
  ChargeCommand,
  { type: 'refund' | 'drop-refund' | 'send-refund' | 'refund-wait' | 'refund-succeeded' | 'refund-refused' | 'refund-returned' }
>;

/** The commands of refunds. Refusals: transaction_failed, validation (amount), unavailable. */
export function decideRefund(state: ChargeState, command: RefundCommand, nowMs: number): ChargeEvent[] | Refusal {
  if (!isCharged(state) || state.status === 'crediting')
    return refuse('transaction_failed', { message: 'The charge has not succeeded' });
  if (command.type === 'refund') return begin(state, command, nowMs);
  const refund = state.refunds.find(({ id }) => id === command.id);
  if (refund === undefined) return [];
  const { stage } = refund;
  const next = (changed: RefundStage, published?: PublishedCharge) => [
    { type: 'changed' as const, state: withStage(state, refund.id, changed), published },
  ];
  switch (command.type) {
    case 'drop-refund': {
      const refunds = state.refunds.filter(({ id }) => id !== refund.id);
      return stage.status === 'reserving' ? [{ type: 'changed', state: { ...state, refunds }, published: undefined }] : [];
    }
    case 'send-refund': {
      const sends = stage.status === 'sending' ? stage.sends : 0;
      if (sends !== command.after || (stage.status !== 'reserving' && stage.status !== 'sending')) return [];
      const { inquiries, proposal } = stage.status === 'sending' ? stage : { inquiries: 0, proposal: undefined };
      const dueAtMs = nowMs + RESUME_AFTER_MS;
      return next({ status: 'sending', sends: sends + 1, inquiries, waitingFor: '', dueAtMs, proposal });
    }
    case 'refund-wait': {
      if (stage.status !== 'sending') return [];
      const inquiries = stage.inquiries + 1;
      return next({ ...stage, inquiries, waitingFor: command.waitingFor, dueAtMs: nowMs + delayAfter(inquiries) });
    }
    case 'refund-succeeded': {
      if (stage.status !== 'sending') return [];
      const published = { event: 'refund.succeeded' as const, refundId: refund.id };
      return next({ status: 'succeeded', railReference: command.railReference, endedAtMs: nowMs }, published);
    }
    case 'refund-refused': {
      // A refusal of one send says nothing of another one.
      if (stage.status !== 'sending' || (command.send !== undefined && command.send !== stage.sends)) return [];
      const { code, reason } = command;
      return next({ status: 'returning', toPending: state.status === 'paid', code, reason });
    }
    case 'refund-returned': {
      if (stage.status !== 'returning') return [];
      return next({ ...stage, status: 'failed', endedAtMs: nowMs }, { event: 'refund.failed', refundId: refund.id });
    }
    default:
      return command satisfies never;
  }
}

/** Takes what is in pending first: that is where the charge's money is until it settles. */
function begin(
  state: ChargedState,
  { refund: wanted }: Extract<RefundCommand, { type: 'refund' }>,
  nowMs: number,
): ChargeEvent[] | Refusal {
  if (state.refunds.some(({ referenceNumber }) => referenceNumber === wanted.referenceNumber)) return [];
  if (state.status === 'settling') return refuse('unavailable', { retryAfterMs: 1_000 });
  if (state.refunds.length >= REFUNDS_MAX)
    return refuse('transaction_failed', { message: `A charge has at most ${REFUNDS_MAX} refunds` });
  const grossSen = state.fees.netSen + state.fees.feeSen;
  if (wanted.amountSen <= 0n || wanted.amountSen > grossSen - refundedSen(state))
    return refuseField('amount', 'is more than is left of the charge');
  const inPendingSen = state.status === 'paid' ? state.fees.netSen - outOfPendingSen(state) : 0n;
  const fromPendingSen = wanted.amountSen < inPendingSen ? wanted.amountSen : inPendingSen;
  const refund: Refund = {
    ...wanted,
    fromPendingSen,
    fromAvailableSen: wanted.amountSen - fromPendingSen,
    createdAtMs: nowMs,
    stage: { status: 'reserving' },
  };
  return [{ type: 'changed', state: { ...state, refunds: [...state.refunds, refund] }, published: undefined }];
}

function withStage(state: ChargedState, id: string, stage: RefundStage): ChargeState {
  return { ...state, refunds: state.refunds.map((refund) => (refund.id === id ? { ...refund, stage } : refund)) };
}

/** Whether the ledger is moving money of a refund just now: settling has to wait for it. */
export function isMoving({ stage }: Refund): boolean {
  return stage.status === 'reserving' || stage.status === 'returning';
}
