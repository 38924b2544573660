import { ApprovalState } from '@gerbang/proto/gerbang/operator/v1/operator';
import { type Approval, isOver } from './approval.ts';

export function toMessage(approval: Approval, nowMs: number) {
  const { id, service, method, request, proposer, proposedAtMs, expiresAtMs, commandId } = approval;
  return {
    ...{ id, service, method, request, proposer, commandId },
    state: stateOf(approval, nowMs),
    proposedAtMs: BigInt(proposedAtMs),
    expiresAtMs: BigInt(expiresAtMs),
  };
}

function stateOf(approval: Approval, nowMs: number): ApprovalState {
  switch (approval.state) {
    case 'used':
      return ApprovalState.USED;
    case 'rejected':
      return ApprovalState.REJECTED;
    case 'open':
      return isOver(approval, nowMs) ? ApprovalState.EXPIRED : ApprovalState.OPEN;
    case 'executing':
      return isOver(approval, nowMs) ? ApprovalState.EXPIRED : ApprovalState.EXECUTING;
    default:
      return approval.state satisfies never;
  }
}
