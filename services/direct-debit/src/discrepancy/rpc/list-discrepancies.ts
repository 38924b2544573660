import { DiscrepancyKind, type ListDiscrepanciesRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { Context } from '../../context.ts';

const LISTED_MAX = 500;

/** What waits for an operator's decision, the oldest first. */
export async function listDiscrepancies({ discrepancies }: Pick<Context, 'discrepancies'>, { limit }: ListDiscrepanciesRequest) {
  const found = await discrepancies.listOpen(Math.min(Math.max(limit, 1), LISTED_MAX));
  return {
    items: found.flatMap(({ order, state }) =>
      state.status !== 'open'
        ? []
        : [
            {
              id: order.id,
              merchantId: order.merchantId,
              accountId: order.accountId,
              transactionId: order.chargeId,
              refundId: order.refundId ?? '',
              referenceNumber: order.referenceNumber,
              amountSen: order.amountSen,
              sinceMs: BigInt(state.toldAtMs),
              kind: state.kind === 'surplus' ? DiscrepancyKind.SURPLUS : DiscrepancyKind.SHORTFALL,
              refusals: state.refusals,
            },
          ],
    ),
  };
}
