import type { ListUnresolvedRequest } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Context } from '../../context.ts';
import { toMessage } from '../../transfer/message.ts';

const LIMIT_MAX = 500;

/** The operators' queue: transfers whose outcome stayed unknown, the oldest first. */
export async function listUnresolved(context: Context, request: ListUnresolvedRequest) {
  const found = await context.transfers.listUnresolved(Math.min(Math.max(request.limit, 1), LIMIT_MAX));
  return {
    items: found.flatMap(({ order, state }) =>
      state.status !== 'sent'
        ? []
        : [
            {
              transfer: toMessage(order, state),
              sinceMs: BigInt(state.unresolvedAtMs ?? 0),
              reason: state.pendingReason,
              proposedBy: state.proposal?.operator ?? '',
              proposedOutcome: state.proposal?.outcome ?? '',
            },
          ],
    ),
  };
}
