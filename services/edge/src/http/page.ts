import { refuse } from '@gerbang/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendFailure } from './answer.ts';
import { v1 } from './envelope-v1.ts';
import { toRefusal } from './errors.ts';
import type { Body } from './json-body.ts';
import type { Observer } from './observe.ts';

type PageRequest = FastifyRequest<{ Params: { '*'?: string }; Body: Body | undefined }>;

/** Something that the edge shows to everyone who reaches it, without token and whitelist: it is no operation of the API. */
export type Page = {
  method: 'GET' | 'POST';
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Refuses, by throwing, before the body is read. */
  check?: (request: PageRequest) => void;
  answer: (request: PageRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>;
};

/** What every request goes through. */
export type PageSurroundings = {
  observe: Observer;
  hasHost: (request: FastifyRequest, done: (error: Error) => void) => boolean;
};

/** Answers a page at its path; its errors have the v1 envelope, and other methods are 405. */
export function addPage(app: FastifyInstance, { observe, hasHost }: PageSurroundings, page: Page): void {
  const { method, url, headers = {}, check, answer } = page;
  app.all<{ Params: { '*'?: string }; Body: Body | undefined }>(url, {
    onRequest(request, reply, done) {
      observe(request, reply, url, () => {
        reply.headers(headers);
        if (!hasHost(request, done)) return;
        if (request.method !== method) {
          reply.header('allow', method);
          sendFailure(reply, v1, refuse('method_not_allowed'));
        } else checked(() => check?.(request), done);
      });
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
