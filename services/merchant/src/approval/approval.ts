import { createHash } from 'node:crypto';

/** How long a second operator has to approve. */
export const APPROVAL_MS = 24 * 60 * 60_000;

/** A command that needs a second operator. */
export type Proposal = { service: string; method: string; request: Uint8Array };

/**
 * Proposed by one operator, waiting for another. The second of them who gives the same command carries it out, once: `executing`
 * names that command until its end is known.
 */
export type Approval = Proposal & {
  id: string;
  state: 'open' | 'executing' | 'used' | 'rejected';
  proposer: string;
  proposedAtMs: number;
  expiresAtMs: number;
  /** The command that carries it out or has done so; empty before. */
  commandId: string;
};

/** The same command has the same id for every operator. */
export function approvalId({ service, method, request }: Proposal): string {
  return createHash('sha256')
    .update(JSON.stringify([service, method]))
    .update(request)
    .digest('hex');
}

/** Whether it can no longer be used, so that the command has to be proposed anew. */
export function isOver({ state, expiresAtMs }: Approval, nowMs: number): boolean {
  return state === 'used' || state === 'rejected' || nowMs >= expiresAtMs;
}
