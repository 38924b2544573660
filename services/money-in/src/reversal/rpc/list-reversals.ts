import type { ListReversalsRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';

const LIMIT_MAX = 1_000;

/** Reversals that wait for an operator, the oldest first. */
export async function listReversals(context: Context, { limit }: ListReversalsRequest) {
  const found = await context.payments.listContested(Math.min(Math.max(limit, 1), LIMIT_MAX));
  return {
    items: found.flatMap(({ order, state }) =>
      state.status !== 'contested'
        ? []
        : [
            {
              id: order.id,
              rail: order.rail,
              railReference: order.railReference,
              amountSen: order.amountSen,
              netSen: state.fees.netSen,
              problem: state.problem,
              merchantId: order.merchantId,
              accountId: order.accountId,
              reportedAtMs: BigInt(state.reversal.reportedAtMs),
            },
          ],
    ),
  };
}
