import { RefusalError } from '@gerbang/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { isForeign } from '../http/foreign.ts';
import { addressOf, type Handler, sendPage, viewOf } from '../http/visit.ts';
import { closedPage, messagePage } from '../pages/message.ts';
import { linkTo, type View } from '../pages/view.ts';
import { checkCard, readCard, shownAgain } from './card-form.ts';
import { methodsLeft } from './methods.ts';
import { sessionOf } from './references.ts';
import { CARD, phaseOf, type Session } from './session.ts';
import { type CardForm, sendCardForm } from './show-card.ts';

/** The cards service answers after 3 s at the most, when the acquirer has not. */
const TIMEOUT_MS = 12_000;

/**
 * POST /pay/{reff_no}/{session}/card: the customer's card, which goes to the cards service and is kept nowhere; then the session's
 * page shows how the payment stands. The error of a field stands next to it. Submitting a form again charges nothing again.
 */
export const payByCard: Handler = async (context, request, reply) => {
  const view = viewOfSession(context, request);
  if (isForeign(request)) return sendPage(reply, view, 403, messagePage(view, 'badRequest'));
  const session = await sessionOf(context, request.params);
  const nowMs = context.clock.now();
  const phase = phaseOf(session.history, nowMs);
  const isPayable = phase === 'open' || phase === 'declined';
  if (!isPayable || session.history.paymentMethod !== CARD || !methodsLeft(session).includes(CARD)) return here(reply, view);
  const submitted = readCard(typeof request.body === 'string' ? request.body : '');
  const again = (form: CardForm) =>
    sendCardForm(reply, view, { session, nowMs, phase }, { shown: shownAgain(submitted), ...form });
  const checked = checkCard(submitted, view.texts.card, nowMs);
  if ('errors' in checked) return again({ status: 422, errors: checked.errors });
  try {
    const { reffNo } = session.history;
    const { attempt } = submitted;
    const clientAddress = addressOf(request);
    const paid = await context.cards.payLink({ reffNo, attempt, card: checked.card, clientAddress }, { timeoutMs: TIMEOUT_MS });
    return here(reply, view, paid.paymentUrl === '' ? {} : { go: '1' });
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return answerRefusal({ context, request, reply, view }, error, { session, again });
  }
};

/** GET of the same: a form's address is no page, for instance where a customer loads it again. */
export const leaveCardForm: Handler = async (context, request, reply) => here(reply, viewOfSession(context, request));

type Visit = { context: Context; request: FastifyRequest; reply: FastifyReply; view: View };

async function answerRefusal(
  { context, request, reply, view }: Visit,
  error: RefusalError,
  { session, again }: { session: Session; again: (form: CardForm) => FastifyReply },
): Promise<FastifyReply> {
  const { card } = view.texts;
  switch (error.refusal.refused) {
    case 'validation':
      if (error.refusal.errors?.card_expiry !== undefined)
        return again({ status: 422, errors: { card_expiry: card.expiryPast } });
      // The page was made for another try than the session's.
      return here(reply, view);
    case 'bad_request': {
      const nowMs = context.clock.now();
      const { link, history } = await sessionOf(context, request.params);
      const isOver = phaseOf(history, nowMs) !== phaseOf(session.history, nowMs);
      return isOver ? here(reply, view) : sendPage(reply, view, 410, closedPage(view, link, nowMs));
    }
    case 'unavailable':
    case 'overloaded':
    case 'timeout': {
      // Whether the card was charged is for the session's page to say, where a try was begun.
      const { history } = await sessionOf(context, request.params);
      if (history.cardAttempt?.isOpen) return here(reply, view);
      return again({ status: 503, alert: card.unavailable });
    }
    case 'product_not_allowed':
    case 'account_not_found':
    case 'frozen':
    case 'account_limit':
      context.log.warn({ err: error, method: CARD }, 'a method could not be used');
      return again({ status: 503, alert: card.unavailable });
    default:
      throw error;
  }
}

/** The page's links are those of the session: a form's own address shows nothing. */
function viewOfSession(context: Context, request: FastifyRequest): View {
  const view = viewOf(context, request);
  return { ...view, path: view.path.replace(/\/card$/, '') };
}

function here(reply: FastifyReply, view: View, parameters: Record<string, string> = {}): FastifyReply {
  return reply
    .code(303)
    .header('location', linkTo(view, view.path, parameters))
    .send();
}
