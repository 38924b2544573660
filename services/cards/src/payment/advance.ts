import type { Context } from '../context.ts';
import { inquireAuthorisation } from './authorise.ts';
import { changePayment } from './change.ts';
import type { StoredPayment } from './document.ts';
import { untold } from './link-standing.ts';
import { postCredit, postRefund, postReturn, postSettlement, postWithdrawal } from './postings.ts';
import { SUBMIT_WITHIN_MS } from './schedule.ts';
import type { Captured, PaymentCommand, PaymentOrder } from './state.ts';
import { capture, refund, release, voidPayment } from './steps.ts';
import { giveBack, tellLink } from './tell-link.ts';

/** More steps than a payment can need at once: one that goes on is a fault. */
const STEPS_MAX = 20;

/**
 * Takes a payment as far as it goes without waiting, from where it was sent on: each step is idempotent by its key, is begun again by
 * the next one where this process dies, and may be done by two replicas at once. Fails where the ledger or the database does not
 * answer; the payment's timer comes back to it then.
 */
export async function advancePayment(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  let current = payment;
  for (let step = 0; step < STEPS_MAX; step++) {
    const next = await takeNextStep(context, current);
    if (next === undefined || next.document.version === current.document.version) return next ?? current;
    // The acquirer was asked, and has not told an outcome: that is for the timer.
    if ('asked' in next.state && (next.state.asked.tries > 0 || next.state.asked.waitingFor !== '')) return next;
    current = next;
  }
  throw new Error(`card payment ${payment.order.id} does not come to rest`);
}

/** One step; undefined where there is nothing to do now. */
async function takeNextStep(context: Context, payment: StoredPayment): Promise<StoredPayment | undefined> {
  const { state, order } = payment;
  const nowMs = context.clock.now();
  const write = async (command: PaymentCommand) => (await changePayment(context, payment, command)).payment;
  const standing = untold(payment);
  if (order.link !== undefined && standing !== undefined) return tellLink(context, payment, order.link, standing);
  const givenBack = await giveBack(context, payment);
  if (givenBack !== undefined) return givenBack;
  switch (state.status) {
    case 'created':
      return nowMs >= order.createdAtMs + SUBMIT_WITHIN_MS ? write({ type: 'give-up' }) : undefined;
    case 'authorising':
    case 'challenging':
      return inquireAuthorisation(context, payment, state);
    case 'authorised':
      return nowMs >= state.authorisation.captureAtMs ? write({ type: 'begin-capture' }) : undefined;
    case 'capturing':
      return capture(context, payment);
    case 'voiding':
      return voidPayment(context, payment);
    case 'crediting':
      await postCredit(context, order, state.authorisation.fees);
      return write({ type: 'credited' });
    case 'captured':
      return nowMs >= state.capture.settleAtMs ? write({ type: 'begin-settling' }) : undefined;
    case 'settling':
      return write({ type: 'settled', atMs: await settle(context, order, state) });
    case 'reserving':
      return write({ type: (await postRefund(context, order, state.refund)) ? 'reserved' : 'reserve-refused' });
    case 'refunding':
      return refund(context, payment, state.refund);
    case 'returning':
      await postReturn(context, order, state.refund);
      return write({ type: 'returned' });
    case 'releasing':
      return release(context, payment);
    case 'withdrawing':
      return write({ type: (await postWithdrawal(context, order, state)) ? 'withdrawn' : 'contest' });
    case 'cancelled':
    case 'settled':
    case 'refunded':
    case 'failed':
    case 'withdrawn':
    case 'contested':
      return undefined;
    case 'written-off':
      if (state.capture.settledAtMs !== undefined || nowMs < state.capture.settleAtMs) return undefined;
      return write({ type: 'settled', atMs: await settle(context, order, state) });
    default:
      return state satisfies never;
  }
}

/** When the ledger has settled it, Unix milliseconds. Of one whose fee is the whole amount there is nothing to settle. */
async function settle(context: Context, order: PaymentOrder, { authorisation: { fees } }: Captured): Promise<number> {
  return fees.netSen === 0n ? context.clock.now() : postSettlement(context, order, fees);
}

/** Takes a payment up whose timer has fired. Runs at least once. */
export async function onPaymentDue(context: Context, payment: StoredPayment): Promise<void> {
  if (context.inProgress.has(payment.order.id)) return;
  await advancePayment(context, payment);
}

/** Work on a payment that goes on after its request was answered, while its timer leaves it alone. */
export function workOn(
  context: Context,
  payment: StoredPayment,
  work: () => Promise<StoredPayment> = () => advancePayment(context, payment),
): Promise<StoredPayment> {
  const { id } = payment.order;
  context.inProgress.add(id);
  const running = work()
    .catch(async (error: unknown) => {
      context.log.warn({ err: error, transaction_id: id }, 'a card payment was left to its timer');
      return (await context.payments.find(id)) ?? payment;
    })
    .finally(() => context.inProgress.delete(id));
  // What fails here fails for the request that waits for it.
  context.background.add(running.catch(() => undefined));
  return running;
}
