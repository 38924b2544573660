import { RefusalError, refuse } from '@gerbang/core';
import type { GetApprovalRequest, RejectApprovalRequest } from '@gerbang/proto/gerbang/operator/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
import { retryConflicts } from '@gerbang/store';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { parse } from '../operator/input.ts';
import { isOver } from './approval.ts';
import { toMessage } from './message.ts';
import type { StoredApproval } from './store.ts';

const id = z.string().regex(/^[0-9a-f]{64}$/, 'is not the id of an approval');

/** Commands that wait for a second operator or are being carried out, newest first. */
export async function listApprovals(context: Context) {
  const nowMs = context.realNow();
  const open = (await context.approvals.listOpen()).filter((approval) => !isOver(approval, nowMs));
  return { approvals: open.map((approval) => toMessage(approval, nowMs)) };
}

/** One of them, with the request. Refusals: validation, not_found. */
export async function getApproval(context: Context, request: GetApprovalRequest) {
  const approval = await mustFind(context, parse({ id }, request).id);
  return { approval: toMessage(approval, context.realNow()) };
}

/**
 * Ends a proposal without carrying it out, also one that a command has taken whose end is not known: then the same command can be
 * proposed again. Refusals: validation, not_found, bad_request (it is over).
 */
export async function rejectApproval(context: Context, request: RejectApprovalRequest, call: OperatorCall) {
  const input = parse({ id }, request);
  await retryConflicts({
    read: () => mustFind(context, input.id),
    async write(stored) {
      const { proposer, method, state, commandId } = stored;
      call.record({ target: `approval:${stored.id}`, before: { state, proposer, method }, after: { state: 'rejected' } });
      if (isOver(stored, context.realNow())) throw new RefusalError(refuse('bad_request', { message: 'it is over already' }));
      return (await context.approvals.change(stored, { state: 'rejected', commandId })) || undefined;
    },
  });
  context.metrics.commanded('approval.reject');
  return {};
}

async function mustFind({ approvals }: Context, approvalId: string): Promise<StoredApproval> {
  const found = await approvals.find(approvalId);
  if (found !== undefined) return found;
  throw new RefusalError(refuse('not_found', { message: 'there is no such approval' }));
}
