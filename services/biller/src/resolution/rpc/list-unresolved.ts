import type { ListUnresolvedPurchasesRequest } from '@gerbang/proto/gerbang/biller/v1/biller';
import type { Context } from '../../context.ts';
import { toMessage } from '../../purchase/message.ts';

const LIMIT_MAX = 500;

/** The operators' queue: purchases whose outcome stayed unknown, the oldest first. */
export async function listUnresolvedPurchases({ purchases }: Context, { limit }: ListUnresolvedPurchasesRequest) {
  const found = await purchases.listUnresolved(Math.min(Math.max(limit, 1), LIMIT_MAX));
  return {
    items: found.flatMap(({ order, state }) => {
      if (state.status !== 'held' || state.unresolvedAtMs === undefined) return [];
      const { proposal, unresolvedAtMs, pendingReason: reason } = state;
      return [
        {
          purchase: toMessage(order, state),
          sinceMs: BigInt(unresolvedAtMs),
          reason,
          proposedBy: proposal?.operator ?? '',
          proposedOutcome: proposal?.outcome ?? '',
        },
      ];
    }),
  };
}
