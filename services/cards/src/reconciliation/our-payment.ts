import type { OurPayment, Standing } from '@gerbang/reconciliation';
import type { StoredPayment } from '../payment/document.ts';
import { isAuthorised, isCaptured, type PaymentState, type TakenBack } from '../payment/state.ts';

/** What is not known for longer waits for operators, and is a difference as well. */
const OPEN_FOR_MS = 24 * 3_600_000;

/** The capture of a payment as reconciliation compares it. One that may not be captured is there too: the acquirer may say so. */
export function toOurCapture(payment: StoredPayment, nowMs: number): OurPayment {
  const { order, state } = payment;
  const fromMs = isAuthorised(state) ? state.authorisation.captureAtMs : order.createdAtMs;
  const standing = captureStanding(state);
  const endedMs = isCaptured(state) ? state.capture.capturedAtMs : 'endedAtMs' in state ? state.endedAtMs : nowMs;
  return {
    ...common(payment),
    direction: 'in',
    fromMs,
    toMs: Math.max(fromMs, endedMs),
    openUntilMs: Math.max(fromMs, payment.document.asked_at?.getTime() ?? 0) + OPEN_FOR_MS,
    standing,
  };
}

/** What has gone back to the customer, by our refund or by the acquirer; undefined where nothing has. */
export function toOurRefund(payment: StoredPayment, nowMs: number): OurPayment | undefined {
  const { state, document } = payment;
  const fromMs = document.given_back_at?.getTime();
  const standing = refundStanding(state);
  if (fromMs === undefined || standing === undefined) return undefined;
  return {
    ...common(payment),
    direction: 'out',
    fromMs,
    toMs: Math.max(fromMs, 'endedAtMs' in state ? state.endedAtMs : nowMs),
    openUntilMs: fromMs + OPEN_FOR_MS,
    standing,
  };
}

function common({ order, state }: StoredPayment) {
  return {
    id: order.id,
    amountSen: order.amountSen,
    status: state.status,
    keys: [order.id],
    text: '',
    // The acquirer's rows name the payment by our reference.
    railReference: '',
    merchantId: order.merchantId,
    accountId: order.accountId,
    reference: order.merchantReffNo || order.id,
  };
}

function captureStanding(state: PaymentState): Standing {
  switch (state.status) {
    case 'crediting':
    case 'captured':
    case 'settling':
    case 'settled':
    case 'reserving':
    case 'refunding':
    case 'returning':
    // Its refund is a movement of its own.
    case 'refunded':
      return 'done';
    case 'authorising':
    case 'challenging':
    case 'authorised':
    case 'capturing':
    case 'voiding':
    case 'releasing':
      return 'open';
    case 'created':
    case 'failed':
    case 'cancelled':
      return 'not-done';
    case 'withdrawing':
    case 'withdrawn':
    case 'contested':
    case 'written-off':
      return withdrawnStanding(state.withdrawal.said);
    default:
      return state satisfies never;
  }
}

/** An acquirer that has refunded it has both rows; one that says that it has failed, or was voided, has none. */
function withdrawnStanding(said: TakenBack): Standing {
  return said === 'refunded' ? 'done' : 'not-done';
}

function refundStanding(state: PaymentState): Standing | undefined {
  switch (state.status) {
    case 'refunding':
      return 'open';
    case 'refunded':
      return 'done';
    case 'withdrawing':
    case 'withdrawn':
    // Who bears it is open here; that the acquirer has given it back is not.
    case 'contested':
    case 'written-off':
      return state.withdrawal.said === 'refunded' ? 'done' : undefined;
    default:
      return undefined;
  }
}
