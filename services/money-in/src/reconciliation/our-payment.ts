import type { OurPayment, Standing } from '@gerbang/reconciliation';
import type { Payment } from '../payment/order.ts';
import type { PaymentState } from '../payment/state.ts';

/** What is not decided for longer is a difference as well. */
const OPEN_FOR_MS = 24 * 3_600_000;
/** Rails show the end of their own references. */
const RRN_LENGTH = 12;

/** A payment as reconciliation compares it: all that the customer has paid, at the rail's time. */
export function toOurPayment({ order, state }: Payment): OurPayment {
  const { railReference, payer, paidTo, paidAtMs, requestId } = order;
  return {
    id: order.id,
    direction: 'in',
    amountSen: order.amountSen,
    fromMs: paidAtMs,
    toMs: paidAtMs,
    openUntilMs: paidAtMs + OPEN_FOR_MS,
    standing: standingOf(state),
    status: state.status,
    keys: [paidTo, railReference, railReference.slice(-RRN_LENGTH), payer?.rrn ?? ''],
    text: '',
    railReference,
    merchantId: order.merchantId,
    accountId: order.accountId,
    reference: order.merchantReffNo || requestId,
  };
}

function standingOf(state: PaymentState): Standing {
  switch (state.status) {
    case 'paid':
    case 'settled':
    // The rail has the money, also where no account of ours gets it.
    case 'suspended':
    case 'credited':
      return 'done';
    case 'received':
    case 'accepted':
    case 'suspending':
    case 'crediting':
    case 'refunding':
    case 'reversing':
    // Operators decide whether it came back.
    case 'contested':
      return 'open';
    case 'refused':
    case 'withdrawn':
      return 'not-done';
    case 'refunded':
    case 'reversed':
      return 'returned';
    default:
      return state satisfies never;
  }
}
