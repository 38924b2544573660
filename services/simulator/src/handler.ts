import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from './context.ts';

/** What answers one route. Bodies come as text; a handler that wants JSON parses it. */
export type Handler = (context: Context, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
