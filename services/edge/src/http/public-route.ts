import { refuse } from '@gerbang/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendFailure } from './answer.ts';
import { v1 } from './envelope-v1.ts';
import { toRefusal } from './errors.ts';
import type { Body } from './json-body.ts';
import type { Observer } from './observe.ts';

type PublicRequest = FastifyRequest<{ Params: { '*'?: string }; Body: Body | undefined }>;

/** A route that needs neither token nor whitelist (contract §2). It is no operation of the API. */
export type PublicRoute = {
  method: 'GET' | 'POST';
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Refuses, by throwing, before the body is read. */
  check?: (request: PublicRequest) => void;
  answer: (request: PublicRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>;
};

/** What these requests go through like all others. */
export type PublicChecks = {
  observe: Observer;
  hasHost: (request: FastifyRequest, done: (error: Error) => void) => boolean;
};

/** Adds the route. Its errors have the v1 envelope, and other methods are 405. */
export function addPublicRoute(app: FastifyInstance, { observe, hasHost }: PublicChecks, route: PublicRoute): void {
  const { method, url, headers = {}, check, answer } = route;
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
    done(error instanceof Error ? error : new Error('a request could not be checked', { cause: error }));
    return;
  }
  done();
}
