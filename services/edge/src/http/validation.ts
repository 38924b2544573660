import { type FieldErrors, RefusalError, refuseFields } from '@gerbang/core';
import type { z } from 'zod';

/**
 * The input as the schema makes it. Refusals: validation, with every field's messages under the name of the field at the top, and
 * a message that names them (contract §2). Input that is no object is an error of `body`; a body left out is an empty one.
 */
export function validate<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input ?? {}, { error: (issue) => (issue.input === undefined ? 'is required' : undefined) });
  if (parsed.success) return parsed.data;
  const errors: FieldErrors = {};
  for (const { path, message, code } of parsed.error.issues) {
    const field = String(path[0] ?? 'body');
    const text = path.length === 0 && code === 'invalid_type' ? 'must be a JSON object' : message;
    errors[field] = [...(errors[field] ?? []), text];
  }
  throw new RefusalError(refuseFields(errors));
}
