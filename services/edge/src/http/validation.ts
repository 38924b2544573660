import { type FieldErrors, RefusalError, refuseFields } from '@gerbang/core';
import type { z } from 'zod';
import type { Call } from './call.ts';

/** What zod says of a value that is missing: it names types, which mean nothing to a merchant. */
const error = (issue: { input?: unknown }) => (issue.input === undefined ? 'is required' : undefined);

/**
 * A request's input as the operation's schema makes it. Refusals: validation, with every field's messages under the name of the
 * field at the top, and a message that names them (contract §2). A body that is no object is an error of `body`; a body left out
 * is an empty one.
 */
export function validate<S extends z.ZodType>(
  schema: S,
  { params, query, body = {} }: Pick<Call, 'params' | 'query' | 'body'>,
): z.output<S> {
  const parsed = schema.safeParse({ params, query, body }, { error });
  if (parsed.success) return parsed.data;
  const errors: FieldErrors = {};
  for (const { path, message, code } of parsed.error.issues) {
    // The first step says where the field is: in the path, the query or the body.
    // Legacy bodies have their fields in `data`.
    const field = String((path[1] === 'data' ? path[2] : undefined) ?? path[1] ?? 'body');
    const text = path.length === 1 && code === 'invalid_type' ? 'must be a JSON object' : message;
    errors[field] = [...(errors[field] ?? []), text];
  }
  throw new RefusalError(refuseFields(errors));
}
