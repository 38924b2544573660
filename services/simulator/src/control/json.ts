import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';

/** A refusal of the control API: its HTTP status and what to do about it. */
export class ControlError extends Error {
  readonly status: number;
  readonly errors: Record<string, string[]> | undefined;

  constructor(status: number, message: string, errors?: Record<string, string[]>) {
    super(message);
    this.name = 'ControlError';
    this.status = status;
    this.errors = errors;
  }
}

/** The JSON body; refuses with 400 where there is none. */
export function readJson(request: FastifyRequest): unknown {
  if (typeof request.body !== 'string' || request.body === '') throw new ControlError(400, 'The body must be JSON');
  try {
    return JSON.parse(request.body);
  } catch {
    throw new ControlError(400, 'The body is not valid JSON');
  }
}

/** Reads a value by a schema; refuses with 422 and the messages of each field. */
export function read<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors: Record<string, string[]> = {};
  for (const issue of parsed.error.issues) {
    const field = issue.path.map(String).join('.') || 'body';
    errors[field] = [...(errors[field] ?? []), issue.message];
  }
  const message = Object.entries(errors)
    .map(([field, messages]) => `${field}: ${messages.join(', ')}`)
    .join('; ');
  throw new ControlError(422, message, errors);
}
