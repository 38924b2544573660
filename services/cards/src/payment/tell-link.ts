import { isRefusal } from '@gerbang/core';
import { CardOutcome } from '@gerbang/proto/gerbang/money_in/v1/link_card';
import type { Context } from '../context.ts';
import { changePayment, mustFindPayment } from './change.ts';
import type { StoredPayment } from './document.ts';
import type { Told } from './link-standing.ts';
import { decide } from './payment.ts';
import { productOf } from './product.ts';
import { isAuthorised, isCaptured, type LinkSession } from './state.ts';

const OUTCOMES = {
  paid: CardOutcome.PAID,
  settled: CardOutcome.SETTLED,
  failed: CardOutcome.FAILED,
} as const;

/** Tells money-in how the payment of a link's session stands, and writes that it knows. Refusals: unavailable. */
export async function tellLink(
  context: Context,
  payment: StoredPayment,
  link: LinkSession,
  standing: keyof typeof OUTCOMES,
): Promise<StoredPayment> {
  const { accepted } = await context.links.reportCardPayment({
    reffNo: link.sessionReffNo,
    paymentId: payment.order.id,
    outcome: OUTCOMES[standing],
    amountSen: payment.order.amountSen,
    ...figuresOf(context, payment),
  });
  const told: Told = standing === 'paid' && !accepted ? 'refused' : standing;
  const written = await context.payments.applyTold(payment, told, context.clock.now());
  if (written !== undefined && told === 'refused')
    context.log.warn(
      { transaction_id: payment.order.id, merchant_id: payment.order.merchantId },
      'the session of a payment link takes no payment any more; what the card paid is given back',
    );
  return written ?? mustFindPayment(context, payment.order.id);
}

function figuresOf(context: Context, { order, state }: StoredPayment) {
  if (!isAuthorised(state)) return {};
  const { authorisedAtMs, captureAtMs, fees } = state.authorisation;
  const { capture } = isCaptured(state) ? state : {};
  const settleAtMs = capture?.settledAtMs ?? capture?.settleAtMs ?? context.settlesAt(productOf(order), captureAtMs);
  return { ...fees, paidAtMs: BigInt(authorisedAtMs), settleAtMs: BigInt(settleAtMs) };
}

/**
 * Whether a success that its session does not take is still to be given back: by a void, and where the acquirer has captured it all
 * the same, by a refund; each is tried once.
 */
export function isToGiveBack({ terms, clock }: Pick<Context, 'terms' | 'clock'>, { state, told }: StoredPayment): boolean {
  if (told !== 'refused' || !('refused' in state) || state.refused !== undefined) return false;
  return !isRefusal(decide(state, cancelOf(terms), clock.now()));
}

/** Gives it back. */
export async function giveBack(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  return (await changePayment(context, payment, cancelOf(context.terms))).payment;
}

function cancelOf({ voidMs, refunds }: Context['terms']) {
  return { type: 'cancel', voidMs, refunds } as const;
}
