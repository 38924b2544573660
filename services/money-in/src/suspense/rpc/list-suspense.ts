import type { ListSuspenseRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';

const LIMIT_MAX = 1_000;

/** Money that waits for an operator, the oldest first. */
export async function listSuspense(context: Context, { limit }: ListSuspenseRequest) {
  const found = await context.payments.listSuspended(Math.min(Math.max(limit, 1), LIMIT_MAX));
  return {
    items: found.flatMap(({ order, state }) =>
      state.status !== 'suspended'
        ? []
        : [
            {
              id: order.id,
              rail: order.rail,
              railReference: order.railReference,
              paidTo: order.paidTo,
              amountSen: order.amountSen,
              paidAtMs: BigInt(order.paidAtMs),
              receivedAtMs: BigInt(order.receivedAtMs),
              reason: state.reason,
              merchantId: order.merchantId,
              accountId: order.accountId,
            },
          ],
    ),
  };
}
