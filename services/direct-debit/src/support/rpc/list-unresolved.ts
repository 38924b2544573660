import type { ListUnresolvedRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { StoredCharge } from '../../charge/document.ts';
import { isCharged, type Proposal } from '../../charge/state.ts';
import type { Context } from '../../context.ts';

const LISTED_MAX = 500;

/** Charges and refunds whose outcome the bank has not told for a day, oldest first. */
export async function listUnresolved({ charges }: Pick<Context, 'charges'>, { limit }: ListUnresolvedRequest) {
  const found = await charges.listUnresolved(Math.min(Math.max(limit, 1), LISTED_MAX));
  return { items: found.flatMap(itemsOf) };
}

function itemsOf({ order, state }: StoredCharge) {
  const { merchantId, id: transactionId, referenceNumber } = order;
  const base = { merchantId, transactionId };
  if (state.status === 'sending') {
    const own = { refundId: '', referenceNumber, amountSen: order.amountSen, sinceMs: BigInt(order.createdAtMs) };
    return [{ ...base, ...own, reason: state.waitingFor, ...proposed(state.proposal) }];
  }
  if (!isCharged(state)) return [];
  return state.refunds.flatMap(({ id, stage, amountSen, referenceNumber: ofRefund, createdAtMs }) =>
    stage.status === 'sending'
      ? [
          {
            ...base,
            refundId: id,
            referenceNumber: ofRefund,
            amountSen,
            sinceMs: BigInt(createdAtMs),
            reason: stage.waitingFor,
            ...proposed(stage.proposal),
          },
        ]
      : [],
  );
}

function proposed(proposal: Proposal | undefined) {
  return { proposedBy: proposal?.operator ?? '', proposedOutcome: proposal?.outcome ?? '' };
}
