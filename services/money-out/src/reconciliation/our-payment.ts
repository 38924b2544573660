import type { OurPayment, Standing } from '@gerbang/reconciliation';
import type { StoredTransfer } from '../transfer/document.ts';
import { isEnded, isHeld } from '../transfer/state.ts';

/** What the rail's remark may say of a transfer; a product's own. */
export type Clues = { keys: readonly string[]; text: string };

/** An outcome that is not known for longer waits for operators, and is a difference as well. */
const OPEN_FOR_MS = 24 * 3_600_000;

/** A transfer as reconciliation compares it: what the rail pays, without our fee. `nowMs` is business time. */
export function toOurPayment(transfer: StoredTransfer, { keys, text }: Clues, nowMs: number): OurPayment {
  const { order, state, product, document } = transfer;
  const openFromMs = Math.max(order.createdAtMs, product.cancel?.expiresAtMs(document) ?? 0);
  return {
    id: order.transactionId,
    direction: 'out',
    amountSen: order.amountSen,
    fromMs: order.createdAtMs,
    toMs: isEnded(state) ? Math.max(order.createdAtMs, state.processedAtMs) : Math.max(order.createdAtMs, nowMs),
    openUntilMs: openFromMs + OPEN_FOR_MS,
    standing: standingOf(transfer),
    status: state.status,
    // The rail may show what it knows the order by.
    keys: [...keys, order.partnerReference, order.transactionId, order.referenceNumber],
    text,
    railReference: document.rail_reference ?? '',
    merchantId: order.merchantId,
    accountId: order.accountId,
    reference: order.referenceNumber,
  };
}

function standingOf({ state }: StoredTransfer): Standing {
  if (state.status === 'created' || isHeld(state)) return 'open';
  switch (state.status) {
    case 'succeeded':
      // The compensation is being booked.
      return state.returned === undefined ? 'done' : 'open';
    case 'refunded':
      return 'returned';
    case 'failed':
    case 'canceled':
      return 'not-done';
    default:
      return state satisfies never;
  }
}
