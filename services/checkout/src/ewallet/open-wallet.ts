import { isForeign } from '../http/foreign.ts';
import { type Handler, sendPage, viewOf } from '../http/visit.ts';
import { webAddress } from '../http/web-address.ts';
import { messagePage } from '../pages/message.ts';
import { linkTo } from '../pages/view.ts';
import { phaseOfPayment } from '../status/phase.ts';
import { findConfirmation } from './find-confirmation.ts';

/**
 * POST /ewallet/{transaction_id}: on to the wallet, where the customer confirms; back to the page where there is nothing to
 * confirm any more.
 */
export const openWallet: Handler = async (context, request, reply) => {
  const view = viewOf(context, request);
  if (isForeign(request)) return sendPage(reply, view, 403, messagePage(view, 'badRequest'));
  const { status, walletUrl, channel } = await findConfirmation(context, request.params);
  const isOpen = phaseOfPayment(status, context.clock.now()) === 'open';
  const address = isOpen ? webAddress(walletUrl) : undefined;
  if (address !== undefined) context.metrics.walletOpened(channel);
  return reply
    .code(303)
    .header('location', address ?? linkTo(view, view.path))
    .send();
};
