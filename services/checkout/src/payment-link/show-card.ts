import { randomBytes } from 'node:crypto';
import { RefusalError } from '@gerbang/core';
import { type GetReturnResponse, PaymentStatus } from '@gerbang/proto/gerbang/cards/v1/cards';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { cardPagePolicy, contentSecurityPolicy } from '../http/headers.ts';
import { queryOf, sendPage } from '../http/visit.ts';
import { formTargets, webAddress } from '../http/web-address.ts';
import { type Bank, bankPage, cardFormPage, waitingForBankPage } from '../pages/card-form.ts';
import { followOf } from '../pages/layout.ts';
import type { View } from '../pages/view.ts';
import type { CardErrors, ShownCard } from './card-form.ts';
import type { Session } from './session.ts';

/** What else a card form shows than an empty one does. */
export type CardForm = { status?: number; shown?: ShownCard; errors?: CardErrors; alert?: string };

/** The card form. A submission of it is the session's next try, or its open one where no payment has come of that. */
export function sendCardForm(
  reply: FastifyReply,
  view: View,
  { session, nowMs, phase }: { session: Session; nowMs: number; phase: 'open' | 'declined' },
  { status = 200, shown = { card_expiry: '', card_holder_name: '' }, errors = {}, alert }: CardForm = {},
): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const { cardAttempt } = session.history;
  const attempt = (cardAttempt?.attempt ?? 0) + (cardAttempt?.isOpen ? 0 : 1);
  reply.header('content-security-policy', cardPagePolicy(nonce));
  const page = { session, nowMs, attempt, shown, errors, alert, follow: followOf(view, phase), nonce };
  return sendPage(reply, view, status, cardFormPage(view, page));
}

/** A session that is paid by card, while it is open: the form, the way to the issuer, or how the payment stands. */
export async function showCard(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { view, session, nowMs }: { view: View; session: Session; nowMs: number },
): Promise<FastifyReply> {
  const payment = await paymentOf(context, session);
  if (payment === undefined) return sendCardForm(reply, view, { session, nowMs, phase: 'open' });
  const follow = followOf(view, 'open');
  const bank = payment.status === PaymentStatus.PENDING ? bankOf(payment) : undefined;
  if (bank === undefined) return sendPage(reply, view, 200, waitingForBankPage(view, { session, nowMs, follow }));
  if (bank.fields !== undefined) reply.header('content-security-policy', contentSecurityPolicy(formTargets(bank.url)));
  // Right after the form the customer is led on, also without scripts; who comes back by hand is not sent away again.
  else if (queryOf(request).go !== undefined) reply.header('refresh', `0; url=${new URL(bank.url).href}`);
  return sendPage(reply, view, 200, bankPage(view, { session, nowMs, follow, bank }));
}

/** Where the issuer authenticates the customer; undefined where no page may lead there. */
function bankOf({ paymentUrl, paymentForm }: GetReturnResponse): Bank | undefined {
  const url = webAddress(paymentForm?.url ?? paymentUrl);
  return url === undefined ? undefined : { url, fields: paymentForm?.fields };
}

/** The payment of the session's open try; undefined where nothing has come of it. */
async function paymentOf({ cards }: Pick<Context, 'cards'>, { history }: Session): Promise<GetReturnResponse | undefined> {
  const { cardAttempt } = history;
  if (cardAttempt === undefined) return undefined;
  try {
    return await cards.getReturn({ id: cardAttempt.paymentId });
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === 'transaction_not_found') return undefined;
    throw error;
  }
}
