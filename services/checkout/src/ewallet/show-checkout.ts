import { contentSecurityPolicy } from '../http/headers.ts';
import { type Handler, sendPage, viewOf } from '../http/visit.ts';
import { formTargets, webAddress } from '../http/web-address.ts';
import { confirmPage } from '../pages/confirm.ts';
import { followOf } from '../pages/layout.ts';
import { overPage, paidPage } from '../pages/outcome.ts';
import { linkTo } from '../pages/view.ts';
import { findMethod } from '../payment-link/methods.ts';
import { phaseOfPayment } from '../status/phase.ts';
import { findConfirmation } from './find-confirmation.ts';

/** GET /ewallet/{transaction_id}: an e-wallet checkout as it now stands; while it can be paid, the way to the wallet. */
export const showCheckout: Handler = async (context, request, reply) => {
  const found = await findConfirmation(context, request.params);
  const view = viewOf(context, request);
  const { texts } = view;
  const { channel, amountSen, merchantName, status } = found;
  const nowMs = context.clock.now();
  const reference = status.transactionId;
  const wallet = findMethod(`EWALLET_${channel}`)?.name ?? channel;
  const over = { about: merchantName || wallet, amountSen, reference };
  const phase = phaseOfPayment(status, nowMs);
  switch (phase) {
    case 'open': {
      const walletUrl = webAddress(found.walletUrl);
      if (walletUrl !== undefined) reply.header('content-security-policy', contentSecurityPolicy(formTargets(walletUrl)));
      const page = { confirmation: found, wallet, hasWalletPage: walletUrl !== undefined, nowMs, follow: followOf(view, phase) };
      return sendPage(reply, view, 200, confirmPage(view, page));
    }
    case 'paid': {
      const shop = webAddress(found.successRedirectUrl);
      const receipt = { amountSen, title: undefined, merchantName, method: wallet, paidAtMs: found.paidAtMs, shop, reference };
      return sendPage(reply, view, 200, paidPage(view, receipt));
    }
    case 'expired': {
      // What was paid in time counts whenever the wallet reports it, which may be after the customer has come back.
      const next = { href: linkTo(view, view.path), label: texts.checkStatus };
      return sendPage(reply, view, 200, overPage(view, { ...over, what: phase, lead: texts.walletExpired(wallet), next }));
    }
    case 'failed':
      return sendPage(reply, view, 200, overPage(view, { ...over, what: phase, lead: texts.walletDeclined(wallet) }));
    default:
      return phase satisfies never;
  }
};
