import { isRefusal } from '@gerbang/core';
import { CardOutcome } from '@gerbang/proto/gerbang/money_in/v1/link_card';
import type { Context } from '../context.ts';
import { mustFindPayment } from './change.ts';
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
 * Gives back a success that its session does not take: by a void, and where the acquirer has captured it all the same, by a refund;
 * each is tried once, and what stays is for operators. Undefined where there is nothing to do.
 */
export async function giveBack(context: Context, payment: StoredPayment): Promise<StoredPayment | undefined> {
  const { state, told, order } = payment;
  if (told !== 'refused' || !('refused' in state) || state.refused !== undefined) return undefined;
  const { terms, payments, clock } = context;
  const nowMs = clock.now();
  const events = decide(state, { type: 'cancel', voidMs: terms.voidMs, refunds: terms.refunds }, nowMs);
  const [event] = isRefusal(events) ? [] : events;
  if (event === undefined) return undefined;
  // Where another replica has written meanwhile, it is decided anew on what is there then.
  return (await payments.apply(payment, event, nowMs)) ?? mustFindPayment(context, order.id);
}
