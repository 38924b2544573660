import type { Context } from '../context.ts';
import { changePayment, mustFindPayment } from '../payment/change.ts';
import { claimOf } from '../payment/dispute.ts';
import type { StoredPayment } from '../payment/document.ts';
import { changeChargeback } from './change.ts';
import type { StoredChargeback } from './document.ts';
import { postChargeback, postUncovered } from './postings.ts';
import type { ChargebackCommand } from './state.ts';

/** More steps than a chargeback can need at once: one that goes on is a fault. */
const STEPS_MAX = 8;

/**
 * Takes a chargeback as far as it goes without waiting: each step is idempotent by its key, and may be done by two replicas at
 * once. Fails where the ledger or the database does not answer; its timer comes back to it then.
 */
export async function advanceChargeback(context: Context, chargeback: StoredChargeback): Promise<StoredChargeback> {
  let current = chargeback;
  for (let step = 0; step < STEPS_MAX; step++) {
    const command = await takeNextStep(context, current);
    if (command === undefined) return current;
    current = await changeChargeback(context, current, command);
    if (command.type === 'wait') return current;
  }
  throw new Error(`chargeback ${chargeback.order.id} does not come to rest`);
}

/** Takes a chargeback up whose timer has fired. Runs at least once. */
export async function onChargebackDue(context: Context, chargeback: StoredChargeback): Promise<void> {
  await advanceChargeback(context, chargeback);
}

/** One step, and what it comes to; undefined where there is nothing to do now. */
async function takeNextStep(context: Context, { order, state }: StoredChargeback): Promise<ChargebackCommand | undefined> {
  switch (state.status) {
    case 'opened':
      return claim(context, order);
    case 'reserving':
      await postChargeback(context, order, state.reserve, 'reserve');
      return { type: 'reserved' };
    case 'restoring':
      await postChargeback(context, order, state.reserve, 'restore');
      if (order.merchantId !== '') await giveUpClaim(context, order);
      return { type: 'ended' };
    case 'forfeiting': {
      await postChargeback(context, order, state.reserve, 'forfeit');
      const uncoveredSen = order.amountSen - state.reserve.reservedSen;
      if (uncoveredSen > 0n) await postUncovered(context, order, uncoveredSen, 'forfeit');
      return { type: 'ended' };
    }
    case 'unmatched':
    case 'reserved':
    case 'won':
    case 'lost':
      return undefined;
    default:
      return state satisfies never;
  }
}

/** Claims what still stands of the payment, once its own money has come to rest. */
async function claim(context: Context, order: StoredChargeback['order']): Promise<ChargebackCommand> {
  const found = await mustFindPayment(context, order.reference);
  const dispute = { type: 'dispute', id: order.id, amountSen: order.amountSen } as const;
  const { payment } = await changePayment(context, found, dispute);
  const reservedSen = claimOf(payment.state, order.id) ?? (isAtRest(payment) ? 0n : undefined);
  if (reservedSen === undefined) return { type: 'wait', waitingFor: `the payment is ${payment.state.status}` };
  if (reservedSen < order.amountSen)
    context.log.error(
      { chargeback_id: order.id, transaction_id: order.reference, alert: 'chargeback-above-payment' },
      'a chargeback is of more than stands of its payment; the rest is not reserved',
    );
  return { type: 'claim', reserve: { reservedSen, feeSen: reservedSen === 0n ? 0n : context.chargebackFeeSen } };
}

/**
 * The payment stands again by what the chargeback has claimed. Where it was written off meanwhile, the acquirer has that part back
 * as well, and suspense has borne only the rest: it bears this part now. Refusals: unavailable (it is being written off).
 */
async function giveUpClaim(context: Context, order: StoredChargeback['order']): Promise<void> {
  const found = await mustFindPayment(context, order.reference);
  const { payment } = await changePayment(context, found, { type: 'end-dispute', id: order.id });
  const claimedSen = claimOf(payment.state, order.id);
  if (payment.state.status !== 'written-off' || claimedSen === undefined) return;
  await postUncovered(context, order, claimedSen, 'restore');
  context.log.error(
    { chargeback_id: order.id, transaction_id: order.reference, merchant_id: order.merchantId, alert: 'chargeback-not-covered' },
    'a chargeback was won whose payment is written off; suspense has given its part',
  );
}

/** Whether nothing of the payment will stand later that does not stand now. */
function isAtRest({ state }: StoredPayment): boolean {
  switch (state.status) {
    case 'captured':
    case 'settling':
    case 'settled':
    case 'cancelled':
    case 'refunded':
    case 'failed':
    case 'withdrawn':
    case 'written-off':
      return true;
    case 'created':
    case 'authorising':
    case 'challenging':
    case 'authorised':
    case 'capturing':
    case 'voiding':
    case 'crediting':
    case 'reserving':
    case 'refunding':
    case 'returning':
    case 'releasing':
    case 'withdrawing':
    case 'contested':
      return false;
    default:
      return state satisfies never;
  }
}
