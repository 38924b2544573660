import { RefusalError } from '@gerbang/core';
import { addressOf, type Handler, sendPage, viewOf } from '../http/visit.ts';
import { closedPage } from '../pages/message.ts';
import { linkTo } from '../pages/view.ts';
import { linkOf } from './references.ts';
import { isLinkOpen } from './session.ts';

/**
 * GET /pay/{reff_no}: opens the link, then the customer goes on at the session's own address, so that loading it again opens
 * nothing (contract §5).
 */
export const openLink: Handler = async (context, request, reply) => {
  const reffNo = linkOf(request.params);
  const view = viewOf(context, request);
  // A browser that only guesses where its user will go has not opened anything.
  if (/\bprefetch\b/.test(`${request.headers['sec-purpose']} ${request.headers.purpose}`))
    return reply.code(503).header('retry-after', '1').send();
  try {
    const { paymentLinkHistory } = await context.checkout.openPaymentLink({ reffNo, ipAddress: addressOf(request) });
    if (paymentLinkHistory === undefined) throw new Error('a link was opened without a history');
    context.metrics.opened();
    return reply
      .code(303)
      .header('location', linkTo(view, `/pay/${reffNo}/${paymentLinkHistory.reffNo}`))
      .send();
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.refused !== 'bad_request') throw error;
    const { paymentLink } = await context.checkout.findPaymentLink({ reffNo });
    return sendPage(reply, view, 410, closedPage(view, paymentLink, context.clock.now()));
  }
};

/** HEAD /pay/{reff_no}: whether the link is there, for those who check links. */
export const checkLink: Handler = async (context, request, reply) => {
  const { paymentLink } = await context.checkout.findPaymentLink({ reffNo: linkOf(request.params) });
  const isOpen = paymentLink !== undefined && isLinkOpen(paymentLink, context.clock.now());
  return reply.code(isOpen ? 200 : 410).send();
};
