import type { Html } from '../html/html.ts';
import { type Handler, queryOf, sendPage, viewOf } from '../http/visit.ts';
import { shopAddress } from '../http/web-address.ts';
import { choosePage } from '../pages/choose.ts';
import { followOf } from '../pages/layout.ts';
import { messagePage } from '../pages/message.ts';
import { overPage, paidPage } from '../pages/outcome.ts';
import { payPage } from '../pages/pay.ts';
import { linkTo, type View } from '../pages/view.ts';
import type { Entered } from './form.ts';
import { findMethod, methodName, methodsLeft } from './methods.ts';
import { canChoose, sessionOf } from './references.ts';
import { CARD, isLinkOpen, phaseOf, type Session } from './session.ts';
import { sendCardForm, showCard } from './show-card.ts';

/** GET /pay/{reff_no}/{session}: the session as it now stands. `?choose=1` shows the methods again. */
export const showSession: Handler = async (context, request, reply) => {
  const session = await sessionOf(context, request.params);
  const view = viewOf(context, request);
  const { history } = session;
  const nowMs = context.clock.now();
  const phase = phaseOf(history, nowMs);
  switch (phase) {
    case 'paid':
      return sendPage(reply, view, 200, paid(view, session));
    case 'expired':
    case 'failed':
      return sendPage(reply, view, 200, over(view, session, phase, nowMs));
    case 'declined': {
      if (methodsLeft(session).length === 0) return sendPage(reply, view, 200, over(view, session, 'failed', nowMs));
      const isCard = history.paymentMethod === CARD;
      if (isCard && methodsLeft(session).includes(CARD) && queryOf(request).choose === undefined)
        return sendCardForm(reply, view, { session, nowMs, phase }, { alert: view.texts.card.declined });
      const alert = isCard ? cardAlert(view, session) : view.texts.declined(findMethod(history.paymentMethod)?.name ?? '');
      const entered = { ...enteredBefore(session), payment_method: '' };
      const page = { session, nowMs, entered, errors: {}, alert, follow: followOf(view, phase) };
      return sendPage(reply, view, 200, choosePage(view, page));
    }
    case 'open': {
      const follow = followOf(view, phase);
      const isChoosing = history.paymentMethod === '' || queryOf(request).choose !== undefined;
      if (!isChoosing && history.paymentMethod === CARD) return showCard(context, request, reply, { view, session, nowMs });
      if (!isChoosing) return sendPage(reply, view, 200, payPage(view, { session, nowMs, follow }));
      if (history.paymentMethod === '' && !canChoose(session, nowMs))
        return sendPage(reply, view, 410, messagePage(view, 'gone'));
      const page = { session, nowMs, entered: enteredBefore(session), errors: {}, follow };
      return sendPage(reply, view, 200, choosePage(view, page));
    }
    default:
      return phase satisfies never;
  }
};

/** The method may be chosen again, or the last card was declined. */
function cardAlert({ texts }: View, session: Session): string {
  return methodsLeft(session).includes(CARD) ? texts.card.declined : texts.card.declinedForGood;
}

function paid(view: View, { link, history, merchantName }: Session): Html {
  return paidPage(view, {
    amountSen: history.figures?.amountSen ?? history.amountSen,
    title: link.title,
    merchantName,
    method: methodName(history.paymentMethod, view.texts),
    paidAtMs: history.figures?.paidAtMs,
    shop: shopAddress(link.successRedirectUrl, history.reffNo),
    reference: history.reffNo,
  });
}

/** A session that is over can be started again where the link is still good. */
function over(view: View, { link, history }: Session, what: 'expired' | 'failed', nowMs: number): Html {
  const again = { href: linkTo(view, `/pay/${link.reffNo}`), label: view.texts.openAgain };
  return overPage(view, {
    what,
    lead: view.texts[`${what}Lead`],
    about: link.title,
    amountSen: history.amountSen,
    reference: history.reffNo,
    next: isLinkOpen(link, nowMs) ? again : undefined,
  });
}

function enteredBefore({ history }: Session): Entered {
  return {
    customer_name: history.customerName,
    customer_email: history.customerEmail,
    customer_phone: history.customerPhone,
    payment_method: history.paymentMethod,
  };
}
