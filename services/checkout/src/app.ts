import { RefusalError } from '@gerbang/core';
import { answeringMalformed, closingAfter, hostProblem, type Timeouts, timeoutsOf } from '@gerbang/service';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type HTTPMethods,
} from 'fastify';
import { showBinding } from './bind/show-binding.ts';
import { consent, decline, handOver, resendOtp, submitOtp } from './bind/take-step.ts';
import { showReturn } from './card/show-return.ts';
import type { Context } from './context.ts';
import { followCheckout } from './ewallet/follow-checkout.ts';
import { openWallet } from './ewallet/open-wallet.ts';
import { showCheckout } from './ewallet/show-checkout.ts';
import { headersOf, setHeaders } from './http/headers.ts';
import { countRequest } from './http/limits.ts';
import { createObserver } from './http/observe.ts';
import { showAsset } from './http/show-asset.ts';
import { type Handler, sendPage, viewOf } from './http/visit.ts';
import { type Message, messagePage } from './pages/message.ts';
import { linkTo } from './pages/view.ts';
import { chooseMethod } from './payment-link/choose-method.ts';
import { followSession } from './payment-link/follow-session.ts';
import { checkLink, openLink } from './payment-link/open-link.ts';
import { leaveCardForm, payByCard } from './payment-link/pay-by-card.ts';
import { qrImage } from './payment-link/qr-image.ts';
import { showSession } from './payment-link/show-session.ts';
import { textsOf } from './text/texts.ts';

/** Everything that customers can reach. `creates`: it makes or changes something, and so counts for its link or checkout. */
const ROUTES: readonly { method: HTTPMethods; url: string; handler: Handler; creates?: true }[] = [
  { method: 'GET', url: '/pay/:link', handler: openLink, creates: true },
  { method: 'HEAD', url: '/pay/:link', handler: checkLink },
  { method: 'GET', url: '/pay/:link/:session', handler: showSession },
  { method: 'POST', url: '/pay/:link/:session', handler: chooseMethod, creates: true },
  { method: 'GET', url: '/pay/:link/:session/card', handler: leaveCardForm },
  { method: 'POST', url: '/pay/:link/:session/card', handler: payByCard, creates: true },
  { method: 'GET', url: '/pay/:link/:session/qr.png', handler: qrImage },
  { method: 'GET', url: '/pay/:link/:session/events', handler: followSession },
  { method: 'GET', url: '/ewallet/:transaction', handler: showCheckout },
  { method: 'HEAD', url: '/ewallet/:transaction', handler: showCheckout },
  { method: 'POST', url: '/ewallet/:transaction', handler: openWallet, creates: true },
  { method: 'GET', url: '/ewallet/:transaction/events', handler: followCheckout },
  { method: 'GET', url: '/bind/:token', handler: showBinding },
  { method: 'HEAD', url: '/bind/:token', handler: showBinding },
  { method: 'POST', url: '/bind/:token/consent', handler: consent, creates: true },
  { method: 'POST', url: '/bind/:token/decline', handler: decline, creates: true },
  { method: 'POST', url: '/bind/:token/otp', handler: submitOtp, creates: true },
  { method: 'POST', url: '/bind/:token/resend', handler: resendOtp, creates: true },
  { method: 'POST', url: '/bind/:token/back', handler: handOver, creates: true },
  { method: 'GET', url: '/card/:payment', handler: showReturn },
  { method: 'HEAD', url: '/card/:payment', handler: showReturn },
  { method: 'GET', url: '/assets/:name', handler: showAsset },
];

const CREATING = new Set(ROUTES.filter(({ creates }) => creates).map(({ method, url }) => `${method} ${url}`));

const FORM = 'application/x-www-form-urlencoded';
const BODY_BYTES_MAX = 16 * 1024;
const KEEP_ALIVE_MS = 75_000;

/** Builds the HTTP side: no cookies, no sessions of its own, nothing from elsewhere. */
export function createApp(context: Context, timeouts: Timeouts): FastifyInstance {
  const { http, ...bounded } = timeoutsOf(timeouts);
  const observe = createObserver(context);
  const app = fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    exposeHeadRoutes: false,
    ...bounded,
    // Node's own answer to a missing Host is no page; it is refused below instead.
    http: { ...http, requireHostHeader: false },
    clientErrorHandler: answerMalformed(context),
    // The hooks of an app do not run for a path that its router cannot decode.
    frameworkErrors: (_error, request, reply) =>
      observe(request, reply, () => {
        setHeaders(reply, context);
        sendMessage(context, request, reply, 404);
      }),
    keepAliveTimeout: KEEP_ALIVE_MS,
    trustProxy: context.trustedProxies.length > 0 && context.trustedProxies,
    // Streams stay open for as long as their pages do; they must not hold up a stop.
    forceCloseConnections: true,
  });
  app.addHook('onRequest', (request, reply, done) => observe(request, reply, done));
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(reply, context);
    if (hostProblem(request.raw) !== undefined) {
      sendMessage(context, request, reply, 400);
      return;
    }
    const { url = '' } = request.routeOptions;
    const creates = CREATING.has(`${request.method} ${url}`);
    const waitMs = url.startsWith('/assets/') ? undefined : countRequest(context, request, { creates });
    if (waitMs !== undefined) {
      reply.header('retry-after', Math.ceil(waitMs / 1_000));
      sendMessage(context, request, reply, 429);
      // Browsers tell how long a form is. In pieces of a byte it would take far more memory than its length.
    } else if (request.headers['transfer-encoding'] !== undefined) sendMessage(context, request, reply, 411);
    else done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, body, done) => done(null, body));
  for (const { method, url, handler } of ROUTES)
    app.route({ method, url, handler: (request, reply) => handler(context, request, reply) });
  app.setNotFoundHandler((request, reply) => sendMessage(context, request, reply, 404));
  app.setErrorHandler((error: FastifyError, request, reply) => sendError(context, error, request, reply));
  return app;
}

const MESSAGES: Readonly<Record<number, Message>> = { 404: 'notFound', 410: 'gone', 429: 'busy', 503: 'broken', 500: 'broken' };

function sendMessage(context: Context, request: FastifyRequest, reply: FastifyReply, status: number): FastifyReply {
  const view = viewOf(context, request);
  const again = request.method === 'GET' && (status === 429 || status >= 500) ? linkTo(view, view.path) : undefined;
  return sendPage(reply, view, status, messagePage(view, MESSAGES[status] ?? 'badRequest', again));
}

/** What went wrong inside is logged, not told. */
function sendError(
  context: Context,
  error: FastifyError | RefusalError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const status = error instanceof RefusalError ? statusOf(error) : (error.statusCode ?? 500);
  if (status >= 500) context.log.error({ err: error }, 'a page could not be shown');
  if (status === 503) reply.header('retry-after', '2');
  if (error instanceof RefusalError && error.refusal.refused === 'rate_limited')
    reply.header('retry-after', Math.ceil((error.refusal.retryAfterMs ?? 1_000) / 1_000));
  return sendMessage(context, request, reply, status);
}

function statusOf({ refusal }: RefusalError): number {
  switch (refusal.refused) {
    case 'transaction_not_found':
      return 404;
    case 'unavailable':
    case 'overloaded':
    case 'timeout':
      return 503;
    // A customer has had too many OTPs, or has held a link too often without paying.
    case 'transaction_failed':
    case 'rate_limited':
      return 429;
    default:
      return 500;
  }
}

/** A page for what is no request, in the language of the country: a browser's wish cannot be read from it. */
function answerMalformed(context: Context) {
  const headers = headersOf(context);
  return closingAfter(
    answeringMalformed(() => {
      const texts = textsOf('id');
      const view = { texts, language: 'id', isChosen: false, path: '/', assets: context.assets } as const;
      return { type: 'text/html; charset=utf-8', body: messagePage(view, 'badRequest').text, headers };
    }),
  );
}
