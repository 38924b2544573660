import { type BindPage, BindStep } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { FastifyReply } from 'fastify';
import { contentSecurityPolicy } from '../http/headers.ts';
import { type Handler, sendPage, viewOf } from '../http/visit.ts';
import { formTargets, webAddress } from '../http/web-address.ts';
import { boundPage, connectingPage, consentPage, otpPage, unboundPage } from '../pages/bind.ts';
import type { View } from '../pages/view.ts';
import { BIND_FAILURES } from '../text/bind.ts';
import { findPage, tokenOf } from './find-page.ts';

/** How soon a page that waits for the bank is loaded again. */
const LOOK_AGAIN_SECONDS = 2;

/** GET /bind/{token}: where the customer is in a binding, and what there is to do. */
export const showBinding: Handler = async (context, request, reply) => {
  const page = await findPage(() => context.bindings.getBindPage({ token: tokenOf(request.params) }));
  return sendBinding(reply, viewOf(context, request), page);
};

/** Sends the page of a binding as it stands. `isMalformed`: what was entered can't be an OTP. */
export function sendBinding(reply: FastifyReply, view: View, page: BindPage, { isMalformed = false } = {}): FastifyReply {
  const shop = webAddress(page.redirectUrl);
  if (shop !== undefined) reply.header('content-security-policy', contentSecurityPolicy(formTargets(shop)));
  switch (page.step) {
    case BindStep.CONSENT:
      return sendPage(reply, view, 200, consentPage(view, page));
    case BindStep.OTP:
      return sendPage(reply, view, isMalformed ? 422 : 200, otpPage(view, page, { isMalformed }));
    case BindStep.CONNECTING:
      reply.header('refresh', LOOK_AGAIN_SECONDS);
      return sendPage(reply, view, 200, connectingPage(view, page));
    case BindStep.BOUND:
      return sendPage(reply, view, 200, boundPage(view, page));
    case BindStep.FAILED:
      return sendPage(reply, view, 200, unboundPage(view, page, failureOf(page)));
    case BindStep.EXPIRED:
      return sendPage(reply, view, 410, unboundPage(view, page, 'expired'));
    case BindStep.UNSPECIFIED:
      throw new Error('a binding has come without its step');
    default:
      return page.step satisfies never;
  }
}

function failureOf({ failedReason }: BindPage) {
  return BIND_FAILURES.find((known) => known === failedReason) ?? 'bank_refused';
}
