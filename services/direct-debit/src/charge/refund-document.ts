import { type ProposalDocument, proposalOf, toProposalDocument } from './proposal-document.ts';
import type { Refund, RefundStage } from './state.ts';

export type RefundDocument = {
  id: string;
  reference_number: string;
  content_hash: string;
  amount_sen: bigint;
  from_pending_sen: bigint;
  from_available_sen: bigint;
  request: string;
  created_at: Date;
  stage: StageDocument;
};

/** A `proposal` of earlier versions, by a name that its proposer gave, counts no more. */
type SendingDocument = {
  status: 'sending';
  sends: number;
  inquiries: number;
  waiting_for: string;
  due_at: Date;
  resolution_proposal?: ProposalDocument;
};

type StageDocument =
  | { status: 'reserving' }
  | SendingDocument
  | { status: 'succeeded'; rail_reference: string; ended_at: Date }
  | { status: 'returning'; to_pending: boolean; code: string; reason: string }
  | { status: 'failed'; to_pending: boolean; code: string; reason: string; ended_at: Date };

export function toRefundDocument(refund: Refund): RefundDocument {
  return {
    id: refund.id,
    reference_number: refund.referenceNumber,
    content_hash: refund.contentHash,
    amount_sen: refund.amountSen,
    from_pending_sen: refund.fromPendingSen,
    from_available_sen: refund.fromAvailableSen,
    request: refund.request,
    created_at: new Date(refund.createdAtMs),
    stage: toStageDocument(refund.stage),
  };
}

export function fromRefundDocument(document: RefundDocument): Refund {
  return {
    id: document.id,
    referenceNumber: document.reference_number,
    contentHash: document.content_hash,
    amountSen: document.amount_sen,
    fromPendingSen: document.from_pending_sen,
    fromAvailableSen: document.from_available_sen,
    request: document.request,
    createdAtMs: document.created_at.getTime(),
    stage: toStage(document.stage),
  };
}

function toStageDocument(stage: RefundStage): StageDocument {
  switch (stage.status) {
    case 'reserving':
      return stage;
    case 'sending': {
      const { status, sends, inquiries, waitingFor, dueAtMs, proposal } = stage;
      const written = { status, sends, inquiries, waiting_for: waitingFor, due_at: new Date(dueAtMs) };
      return proposal === undefined ? written : { ...written, resolution_proposal: toProposalDocument(proposal) };
    }
    case 'succeeded':
      return { status: stage.status, rail_reference: stage.railReference, ended_at: new Date(stage.endedAtMs) };
    case 'returning': {
      const { status, toPending, code, reason } = stage;
      return { status, to_pending: toPending, code, reason };
    }
    case 'failed': {
      const { status, toPending, code, reason, endedAtMs } = stage;
      return { status, to_pending: toPending, code, reason, ended_at: new Date(endedAtMs) };
    }
    default:
      return stage satisfies never;
  }
}

function toStage(stage: StageDocument): RefundStage {
  switch (stage.status) {
    case 'reserving':
      return { status: 'reserving' };
    case 'sending': {
      const { status, sends, inquiries, waiting_for, due_at, resolution_proposal } = stage;
      const proposal = proposalOf(resolution_proposal);
      return { status, sends, inquiries, waitingFor: waiting_for, dueAtMs: due_at.getTime(), proposal };
    }
    case 'succeeded':
      return { status: stage.status, railReference: stage.rail_reference, endedAtMs: stage.ended_at.getTime() };
    case 'returning': {
      const { status, to_pending, code, reason } = stage;
      return { status, toPending: to_pending, code, reason };
    }
    case 'failed': {
      const { status, to_pending, code, reason, ended_at } = stage;
      return { status, toPending: to_pending, code, reason, endedAtMs: ended_at.getTime() };
    }
    default:
      return stage satisfies never;
  }
}
