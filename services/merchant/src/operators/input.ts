import { z } from 'zod';
import { field } from '../operator/input.ts';
import { fromRoleMessage } from './message.ts';

/** An Ed25519 key has 32 bytes. */
const PUBLIC_KEY = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

export const operatorId = z
  .string()
  .regex(/^[a-z][a-z0-9._-]{0,31}$/, 'must be 1 to 32 of a-z, 0-9, ".", "-" and "_", and begin with a letter');

export const newOperator = z.object(
  {
    id: operatorId,
    name: field.name,
    publicKey: z.string().regex(PUBLIC_KEY, 'must be the public half of an Ed25519 key, as operators new-key shows it'),
  },
  'is missing',
);

export const role = z.int().transform((value, problem) => {
  const known = fromRoleMessage(value);
  if (known !== undefined) return known;
  problem.addIssue('must be viewer, support, finance or admin');
  return z.NEVER;
});
