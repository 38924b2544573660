import { transferStatusOf } from '@gerbang/present';
import { z } from 'zod';

/** The `status` filter of money-out lists: a two-digit code of merchant-api.md. */
export const transferStatus = z
  .string('may be given once')
  .transform((code, problem) => {
    const status = transferStatusOf(code);
    if (status !== undefined) return status;
    problem.addIssue('must be a status code from 00 to 06');
    return z.NEVER;
  })
  .optional();
