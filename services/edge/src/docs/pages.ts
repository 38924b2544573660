import { refuse } from '@gerbang/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { sendFailure } from '../http/answer.ts';
import { v1 } from '../http/envelope-v1.ts';
import { toRefusal } from '../http/errors.ts';
import type { Body } from '../http/json-body.ts';
import type { Observer } from '../http/observe.ts';
import { lazyAssets } from './assets.ts';
import { createExplainer, mustBeOfOurOrigin } from './explain.ts';
import { DOCS_HEADERS } from './headers.ts';
import { referencePage, workbenchPage } from './html.ts';

type Request = FastifyRequest<{ Params: { '*'?: string }; Body: Body | undefined }>;
type Page = {
  method: 'GET' | 'POST';
  url: string;
  /** Refuses, by throwing, before the body is read. */
  check?: (request: Request) => void;
  answer: (request: Request, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>;
};
type Surroundings = {
  context: Pick<Context, 'trustedProxies' | 'realNow'>;
  observe: Observer;
  hasHost: (request: FastifyRequest, done: (error: Error) => void) => boolean;
};

const HTML = 'text/html; charset=utf-8';

/**
 * The API reference and the signature workbench, for everyone who reaches the edge: no token, no whitelist. Nothing on them comes
 * from elsewhere.
 */
export function addDocsPages(app: FastifyInstance, surroundings: Surroundings): void {
  const assets = lazyAssets();
  const explain = createExplainer(surroundings.context);
  const pages: Page[] = [
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
        return asset === undefined ? sendFailure(reply, v1, refuse('not_found')) : reply.type(asset.type).send(asset.bytes);
      },
    },
  ];
  for (const page of pages) addPage(app, surroundings, page);
}

function addPage(app: FastifyInstance, { observe, hasHost }: Surroundings, page: Page): void {
  const { method, url, check, answer } = page;
  app.all<{ Params: { '*'?: string }; Body: Body | undefined }>(url, {
    onRequest(request, reply, done) {
      observe(request, reply, url, () => {
        reply.headers(DOCS_HEADERS);
        if (!hasHost(request, done)) return;
        if (request.method !== method) {
          reply.header('allow', method);
          sendFailure(reply, v1, refuse('method_not_allowed'));
        } else checked(() => check?.(request), done);
      });
    },
    onSend(_request, reply, payload, done) {
      // After the app's own hook: a file's path changes with its content.
      if (url === '/docs/assets/*' && reply.statusCode === 200)
        reply.header('cache-control', 'public, max-age=31536000, immutable');
      done(null, payload);
    },
    handler: (request, reply) => answer(request, reply.type('application/json; charset=utf-8')),
    errorHandler(error, request, reply) {
      const { refusal, fault } = toRefusal(error);
      request.fault = fault;
      return sendFailure(reply, v1, refusal);
    },
  });
}

function checked(check: () => void, done: (error?: Error) => void): void {
  try {
    check();
  } catch (error) {
    done(error instanceof Error ? error : new Error('a page could not be checked', { cause: error }));
    return;
  }
  done();
}
