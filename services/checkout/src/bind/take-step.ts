import type { BindPage } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { isForeign } from '../http/foreign.ts';
import { type Handler, sendPage, viewOf } from '../http/visit.ts';
import { webAddress } from '../http/web-address.ts';
import { messagePage } from '../pages/message.ts';
import { linkTo, type View } from '../pages/view.ts';
import { findPage, tokenOf } from './find-page.ts';
import { sendBinding } from './show-binding.ts';

/** The bank is asked within a step; the service answers after 3 s for each of its calls at the most. */
const TIMEOUT_MS = 20_000;

type Step = (context: Context, given: { token: string; view: View }) => Promise<{ page?: BindPage | undefined }>;

/** POST /bind/{token}/consent: the customer agrees. */
export const consent = stepHandler(({ bindings }, { token, view: { language } }) =>
  bindings.consent({ token, language }, { timeoutMs: TIMEOUT_MS }),
);

/** POST /bind/{token}/decline: the customer does not. */
export const decline = stepHandler(({ bindings }, { token }) => bindings.decline({ token }));

/** POST /bind/{token}/resend: another OTP. */
export const resendOtp = stepHandler(({ bindings }, { token }) => bindings.resendOtp({ token }, { timeoutMs: TIMEOUT_MS }));

/** POST /bind/{token}/otp: what the customer has entered. What can't be an OTP is shown again, and costs no attempt. */
export const submitOtp: Handler = async (context, request, reply) => {
  const otp = (bodyOf(request).get('otp') ?? '').replace(/\s/g, '');
  if (/^[0-9]{4,8}$/.test(otp)) {
    const submit = stepHandler(({ bindings }, { token }) => bindings.submitOtp({ token, otp }, { timeoutMs: TIMEOUT_MS }));
    return submit(context, request, reply);
  }
  const page = await findPage(() => context.bindings.getBindPage({ token: tokenOf(request.params) }));
  return sendBinding(reply, pageView(context, request), page, { isMalformed: true });
};

/** POST /bind/{token}/back: the customer goes on to the merchant. */
export const handOver: Handler = async (context, request, reply) => {
  const view = pageView(context, request);
  if (isForeign(request)) return sendPage(reply, view, 403, messagePage(view, 'badRequest'));
  const { location } = await context.bindings.handOver({ token: tokenOf(request.params) });
  return reply
    .code(303)
    .header('location', webAddress(location) ?? linkTo(view, view.path))
    .send();
};

/** A step and then the page again, by a redirect, so that loading it again repeats nothing. */
function stepHandler(step: Step): Handler {
  return async (context, request, reply) => {
    const view = pageView(context, request);
    if (isForeign(request)) return sendPage(reply, view, 403, messagePage(view, 'badRequest'));
    await findPage(() => step(context, { token: tokenOf(request.params), view }));
    return reply.code(303).header('location', linkTo(view, view.path)).send();
  };
}

/** The view of the binding's page, of which the step is a part. */
function pageView(context: Context, request: FastifyRequest): View {
  return { ...viewOf(context, request), path: `/bind/${tokenOf(request.params)}` };
}

function bodyOf({ body }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(typeof body === 'string' ? body : '');
}
