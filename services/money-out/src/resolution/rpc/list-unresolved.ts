import type { ListUnresolvedRequest } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Context } from '../../context.ts';
import type { StoredTransfer } from '../../transfer/document.ts';
import { toMessage } from '../../transfer/message.ts';
import { isEnded, isHeld } from '../../transfer/state.ts';

const LIMIT_MAX = 500;

/**
 * The operators' queue: transfers whose outcome stayed unknown, released ones that the rail reports as paid, and refunds that the
 * rail has not answered yet. The oldest first.
 */
export async function listUnresolved(context: Context, request: ListUnresolvedRequest) {
  const found = await context.transfers.listUnresolved(Math.min(Math.max(request.limit, 1), LIMIT_MAX));
  return { items: found.flatMap(toItem) };
}

function toItem(transfer: StoredTransfer) {
  const { state, product } = transfer;
  const question = questionOf(transfer);
  if (question === undefined || state.status === 'created') return [];
  const { proposal } = state;
  return [
    {
      transfer: toMessage(transfer),
      product: product.name,
      sinceMs: BigInt(question.sinceMs),
      reason: question.reason,
      proposedBy: proposal?.operator ?? '',
      proposedOutcome: proposal?.outcome ?? '',
    },
  ];
}

function questionOf({ state }: StoredTransfer): { sinceMs: number; reason: string } | undefined {
  if (isHeld(state) && state.unresolvedAtMs !== undefined) return { sinceMs: state.unresolvedAtMs, reason: state.pendingReason };
  if (!isEnded(state)) return undefined;
  if (state.status === 'succeeded') {
    return state.refund && { sinceMs: state.refund.askedAtMs, reason: `refund: ${state.refund.reason || 'the rail is asked'}` };
  }
  if (state.paid === undefined) return undefined;
  return { sinceMs: state.paid.reportedAtMs, reason: state.paid.reason };
}
