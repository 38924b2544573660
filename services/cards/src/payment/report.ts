import { RefusalError, refuse } from '@gerbang/core';
import type { InquiryResult } from '@gerbang/rails/card';
import type { Context } from '../context.ts';
import { advancePayment, workOn } from './advance.ts';
import { ask, inquireAuthorisation, type Open } from './authorise.ts';
import { changePayment } from './change.ts';
import { contradictionIn } from './contradiction.ts';
import type { StoredPayment } from './document.ts';
import type { PaymentState } from './state.ts';

/**
 * Something may have changed at the acquirer: it is asked, and what it says is followed. Nothing else is believed, neither its
 * report nor a customer who has come back. Refusals: unavailable (it does not answer).
 */
export async function lookAgain(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  const { state, order } = payment;
  if (context.inProgress.has(order.id)) return payment;
  switch (state.status) {
    case 'authorising':
    case 'challenging':
      return askMeanwhile(context, payment, state);
    case 'failed':
    case 'authorised':
    case 'captured':
    case 'settled':
      return compare(context, payment);
    case 'cancelled':
    case 'refunded':
    case 'withdrawn':
    case 'written-off':
      return watch(context, payment);
    // Its own steps ask the acquirer anyway, or the acquirer has no more to say.
    case 'created':
    case 'capturing':
    case 'voiding':
    case 'crediting':
    case 'settling':
    case 'reserving':
    case 'refunding':
    case 'returning':
    case 'releasing':
    case 'withdrawing':
    // Operators decide on it.
    case 'contested':
      return payment;
    default:
      return state satisfies never;
  }
}

/**
 * Its timer comes as it would have: looking at the payment does not put that off. Where there are no inquiries it would be taken
 * back instead, and that is for the timer.
 */
async function askMeanwhile(context: Context, payment: StoredPayment, state: Open): Promise<StoredPayment> {
  if (context.rail.inquire === undefined) return payment;
  return workOn(context, payment, async () => {
    const after = await inquireAuthorisation(context, payment, state, 'meanwhile');
    return isOpen(after.state) ? after : advancePayment(context, after);
  });
}

/** The acquirer owes the outcome of its authorisation. */
export function isOpen(state: PaymentState): state is Open {
  return state.status === 'authorising' || state.status === 'challenging';
}

async function compare(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  if (!canBeAsked(context, payment)) return payment;
  const said = await askForSure(context, payment);
  const command = contradictionIn(payment, said);
  if (command === undefined) return payment;
  const changed = await changePayment(context, payment, command);
  return changed.isChanged ? advancePayment(context, changed.payment) : changed.payment;
}

/**
 * The payment has ended, so what the acquirer says otherwise moves nothing: whose the money is now is for operators, who are
 * alerted.
 */
async function watch(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  if (!canBeAsked(context, payment)) return payment;
  const { outcome } = await askForSure(context, payment);
  if (outcome !== 'authorised' && outcome !== 'captured') return payment;
  const { order, state } = payment;
  context.metrics.contradicted(`not-${state.status}`);
  const fields = { transaction_id: order.id, merchant_id: order.merchantId, status: state.status, outcome };
  context.log.error({ ...fields, alert: 'rail-contradiction' }, 'the acquirer still has what has ended here');
  return payment;
}

/** Some acquirers answer no inquiries; then the log alone says that something was reported. */
function canBeAsked({ rail, log }: Context, { order, state }: StoredPayment): boolean {
  if (rail.inquire !== undefined) return true;
  const fields = { transaction_id: order.id, status: state.status };
  log.warn(fields, 'the acquirer reports something of a payment, and can not be asked about it');
  return false;
}

async function askForSure(context: Context, payment: StoredPayment): Promise<InquiryResult> {
  const said = await ask(context, payment);
  if (said.outcome !== 'unknown') return said;
  throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }), new Error('the acquirer does not answer'));
}
