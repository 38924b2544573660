import type { Proposal } from './state.ts';

/** `proposed_at` is absent in documents of earlier versions: such a proposal counts no more. */
export type ProposalDocument = { operator: string; outcome: Proposal['outcome']; proposed_at?: Date };

export function toProposalDocument({ operator, outcome, proposedAtMs }: Proposal): ProposalDocument {
  return { operator, outcome, proposed_at: new Date(proposedAtMs) };
}

export function proposalOf(document: ProposalDocument | undefined): Proposal | undefined {
  if (document?.proposed_at === undefined) return undefined;
  return { operator: document.operator, outcome: document.outcome, proposedAtMs: document.proposed_at.getTime() };
}
