import { refuse } from '@gerbang/core';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { sendFailure } from '../http/answer.ts';
import { v1 } from '../http/envelope-v1.ts';
import { addPublicRoute, type PublicChecks, type PublicRoute } from '../http/public-route.ts';
import { lazyAssets } from './assets.ts';
import { createExplainer, mustBeOfOurOrigin } from './explain.ts';
import { DOCS_HEADERS } from './headers.ts';
import { referencePage, workbenchPage } from './html.ts';

const HTML = 'text/html; charset=utf-8';

/**
 * The API reference and the signature workbench, without token and whitelist. Browsers load nothing for them from other hosts.
 */
export function addDocsPages(
  app: FastifyInstance,
  context: Pick<Context, 'trustedProxies' | 'realNow'>,
  checks: PublicChecks,
): void {
  const assets = lazyAssets();
  const explain = createExplainer(context);
  const pages: PublicRoute[] = [
    { method: 'GET', url: '/docs', answer: (_, reply) => reply.type(HTML).send(referencePage(assets())) },
    { method: 'GET', url: '/docs/signature', answer: (_, reply) => reply.type(HTML).send(workbenchPage(assets())) },
    {
      method: 'POST',
      url: '/docs/signature/explain',
      check: mustBeOfOurOrigin,
      answer: async (request, reply) => reply.send(JSON.stringify(await explain(request))),
    },
    {
      method: 'GET',
      url: '/docs/assets/*',
      answer({ params }, reply) {
        const asset = assets().find(params['*'] ?? '');
        if (asset === undefined) return sendFailure(reply, v1, refuse('not_found'));
        // A file's path changes with its content.
        return reply.header('cache-control', 'public, max-age=31536000, immutable').type(asset.type).send(asset.bytes);
      },
    },
  ];
  for (const page of pages) addPublicRoute(app, checks, { ...page, headers: DOCS_HEADERS });
}
