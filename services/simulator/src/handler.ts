import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from './context.ts';

/** What answers one route. Bodies come as text; whoever wants JSON reads it. */
export type Handler = (context: Context, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
