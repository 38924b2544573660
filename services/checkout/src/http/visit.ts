import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { Html } from '../html/html.ts';
import type { View } from '../pages/view.ts';
import { LANGUAGES, textsOf } from '../text/texts.ts';
import { preferredLanguage } from './language.ts';

export type Handler = (context: Context, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

const queries = z.object({
  lang: z.enum(LANGUAGES).optional().catch(undefined),
  choose: z.literal('1').optional().catch(undefined),
  go: z.literal('1').optional().catch(undefined),
});

/** What may stand behind the question mark; anything else is as if it were not there. */
export function queryOf(request: FastifyRequest): z.infer<typeof queries> {
  // There is no query where the router could not decode the path.
  return queries.parse(request.query ?? {});
}

/** In whose language the page is made, and from which path. */
export function viewOf({ assets }: Pick<Context, 'assets'>, request: FastifyRequest): View {
  const { lang } = queryOf(request);
  const language = lang ?? preferredLanguage(request.headers['accept-language']);
  const [path = '/'] = request.url.split('?', 1);
  return { texts: textsOf(language), language, isChosen: lang !== undefined, path, assets };
}

/** The customer's address. A proxy that is trusted and tells nonsense is taken for the customer itself. */
export function addressOf(request: FastifyRequest): string {
  return isIP(request.ip) === 0 ? (request.raw.socket.remoteAddress ?? '') : request.ip;
}

/** Sends a page. */
export function sendPage(reply: FastifyReply, view: View, status: number, page: Html): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-language': view.language, vary: 'Accept-Language' })
    .type('text/html; charset=utf-8')
    .send(page.text);
}
