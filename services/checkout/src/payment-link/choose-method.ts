import { type Refusal, RefusalError } from '@gerbang/core';
import { isForeign } from '../http/foreign.ts';
import { type Handler, sendPage, viewOf } from '../http/visit.ts';
import { choosePage } from '../pages/choose.ts';
import { followOf } from '../pages/layout.ts';
import { closedPage, messagePage } from '../pages/message.ts';
import { linkTo } from '../pages/view.ts';
import type { Texts } from '../text/id.ts';
import { checkEntered, FIELDS, type FormErrors, readEntered } from './form.ts';
import { methodsLeft } from './methods.ts';
import { sessionOf } from './references.ts';
import { phaseOf } from './session.ts';

/**
 * POST /pay/{reff_no}/{session}: the customer's choice; then the session's page shows what to pay by. The error of a field stands
 * next to it, and the input is kept.
 */
export const chooseMethod: Handler = async (context, request, reply) => {
  const view = viewOf(context, request);
  if (isForeign(request)) return sendPage(reply, view, 403, messagePage(view, 'badRequest'));
  const session = await sessionOf(context, request.params);
  const nowMs = context.clock.now();
  const here = () => reply.code(303).header('location', linkTo(view, view.path)).send();
  const phase = phaseOf(session.history, nowMs);
  if (phase !== 'open' && phase !== 'declined') return here();
  const entered = readEntered(typeof request.body === 'string' ? request.body : '');
  const again = (status: number, wrong: { errors: FormErrors; alert?: string }) =>
    sendPage(reply, view, status, choosePage(view, { session, nowMs, entered, follow: followOf(view, phase), ...wrong }));
  const asked = { methods: methodsLeft(session), needsCustomer: session.link.requiredCustomerDetail };
  const checked = checkEntered(entered, asked, view.texts);
  if ('errors' in checked) return again(422, checked);
  const { values } = checked;
  try {
    await context.checkout.choosePaymentMethod({
      reffNo: session.history.reffNo,
      paymentMethod: values.payment_method,
      customerName: values.customer_name,
      customerEmail: values.customer_email,
      customerPhone: values.customer_phone,
    });
    context.metrics.chosen(values.payment_method);
    return here();
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    switch (error.refusal.refused) {
      case 'bad_request': {
        // The session has just ended, or others have taken what was left of the link.
        const { link, history } = await sessionOf(context, request.params);
        const isOver = phaseOf(history, context.clock.now()) !== phase;
        return isOver ? here() : sendPage(reply, view, 410, closedPage(view, link, nowMs));
      }
      case 'validation':
        return again(422, { errors: errorsOf(error.refusal, view.texts) });
      case 'transaction_failed':
      case 'unavailable':
      case 'timeout':
        context.log.warn({ err: error, method: values.payment_method }, 'a method could not be used');
        return again(503, { errors: {}, alert: view.texts.methodUnavailable });
      default:
        throw error;
    }
  }
};

/** What money-in finds wrong beyond what the form's own schema does. */
function errorsOf(refusal: Refusal, texts: Texts): FormErrors {
  const sentences = {
    customer_name: texts.nameWrong,
    customer_email: texts.emailWrong,
    customer_phone: texts.phoneWrong,
    payment_method: texts.methodUnavailable,
  };
  const wrong = FIELDS.filter((field) => refusal.errors?.[field] !== undefined);
  return Object.fromEntries(wrong.map((field) => [field, sentences[field]]));
}
