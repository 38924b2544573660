import type { FastifyReply } from 'fastify';
import type { z } from 'zod';

/** 422 with the messages of each field. */
export function invalid(reply: FastifyReply, error: z.ZodError): FastifyReply {
  const errors: Record<string, string[]> = {};
  for (const issue of error.issues) {
    const field = issue.path.join('.') || 'body';
    errors[field] = [...(errors[field] ?? []), issue.message];
  }
  const message = Object.entries(errors)
    .map(([field, messages]) => `${field}: ${messages.join(', ')}`)
    .join('; ');
  return reply.code(422).send({ message, errors });
}
