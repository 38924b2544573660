import { type Handler, queryOf, sendPage, viewOf } from '../http/visit.ts';
import { choosePage } from '../pages/choose.ts';
import type { Follow } from '../pages/layout.ts';
import { messagePage } from '../pages/message.ts';
import { overPage, paidPage } from '../pages/outcome.ts';
import { payPage } from '../pages/pay.ts';
import { linkTo, type View } from '../pages/view.ts';
import type { Entered } from './form.ts';
import { findMethod, methodsLeft } from './methods.ts';
import { canChoose, sessionOf } from './references.ts';
import { isLinkOpen, type Phase, phaseOf, type Session } from './session.ts';

/** GET /pay/{reff_no}/{session}: the session as it now stands. `?choose=1` shows the methods again. */
export const showSession: Handler = async (context, request, reply) => {
  const session = await sessionOf(context, request.params);
  const view = viewOf(context, request);
  const { link, history } = session;
  const nowMs = context.clock.now();
  const phase = phaseOf(history, nowMs);
  switch (phase) {
    case 'paid':
      return sendPage(reply, view, 200, paidPage(view, session));
    case 'expired':
    case 'failed':
      return sendPage(reply, view, 200, overPage(view, session, phase, isLinkOpen(link, nowMs)));
    case 'declined': {
      if (methodsLeft(session).length === 0)
        return sendPage(reply, view, 200, overPage(view, session, 'failed', isLinkOpen(link, nowMs)));
      const alert = view.texts.declined(findMethod(history.paymentMethod)?.name ?? '');
      const entered = { ...enteredBefore(session), payment_method: '' };
      const page = { session, nowMs, entered, errors: {}, alert, follow: followOf(view, phase) };
      return sendPage(reply, view, 200, choosePage(view, page));
    }
    case 'open': {
      const follow = followOf(view, phase);
      const isChoosing = history.paymentMethod === '' || queryOf(request).choose !== undefined;
      if (!isChoosing) return sendPage(reply, view, 200, payPage(view, { session, nowMs, follow }));
      if (history.paymentMethod === '' && !canChoose(session, nowMs))
        return sendPage(reply, view, 410, messagePage(view, 'gone'));
      return sendPage(
        reply,
        view,
        200,
        choosePage(view, { session, nowMs, entered: enteredBefore(session), errors: {}, follow }),
      );
    }
    default:
      return phase satisfies never;
  }
};

/** Where a page hears of its payment, which can still be made. */
export function followOf(view: View, phase: Phase): Follow {
  return { events: `${view.path}/events`, phase, here: linkTo(view, view.path) };
}

function enteredBefore({ history }: Session): Entered {
  return {
    customer_name: history.customerName,
    customer_email: history.customerEmail,
    customer_phone: history.customerPhone,
    payment_method: history.paymentMethod,
  };
}
