import type { RefusalCode } from '@gerbang/core';
import { retryConflicts } from '@gerbang/store';
import { approvalId, isOver, type Proposal } from '../approval/approval.ts';
import type { StoredApproval } from '../approval/store.ts';
import type { Context } from '../context.ts';
import type { Operator } from '../operators/operator.ts';

/** Who gives the command, as which command, and who else may. */
type Giver = { operator: Operator; commandId: string; may: (operator: Operator) => boolean };

type Decision = { proposer: string } | { code: RefusalCode; message: string; approvalId: string; proposed: boolean };

/**
 * Takes the approval for the command of a second operator, so that it is carried out once; or proposes the command. A proposal
 * whose proposer may no longer give the command counts as over.
 */
export function approve(context: Context, proposal: Proposal, giver: Giver): Promise<Decision> {
  const id = approvalId(proposal);
  return retryConflicts({
    read: () => context.approvals.find(id),
    write: (stored) => decide(context, proposal, giver, stored),
  });
}

async function decide(
  context: Context,
  proposal: Proposal,
  giver: Giver,
  stored: StoredApproval | undefined,
): Promise<Decision | undefined> {
  const { operator, commandId } = giver;
  const { approvals } = context;
  const nowMs = context.realNow();
  const id = approvalId(proposal);
  if (stored === undefined || isOver(stored, nowMs) || !(await mayStill(context, giver, stored))) {
    if (!(await approvals.propose(proposal, operator.id, nowMs, stored))) return undefined;
    return { ...needed(id, 'a second operator must approve this command'), proposed: true };
  }
  if (stored.state === 'executing') {
    const message = `command ${stored.commandId} carries it out already; look for it in the audit log`;
    return { code: 'approval_used', message, approvalId: id, proposed: false };
  }
  if (stored.proposer === operator.id) {
    return { ...needed(id, `${operator.id} has proposed this command; another operator must approve it`), proposed: false };
  }
  if (!(await approvals.change(stored, { state: 'executing', commandId }))) return undefined;
  return { proposer: stored.proposer };
}

async function mayStill({ operators }: Context, { may }: Giver, { proposer, state }: StoredApproval): Promise<boolean> {
  if (state === 'executing') return true;
  const found = await operators.find(proposer);
  return found !== undefined && may(found);
}

function needed(approvalId: string, why: string) {
  const message = `${why}: gerbang approvals approve ${approvalId}`;
  return { code: 'approval_needed' as const, message, approvalId };
}
