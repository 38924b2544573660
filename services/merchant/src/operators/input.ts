import { z } from 'zod';
import { field } from '../operator/input.ts';
import { fromRoleMessage } from './message.ts';

/** A subject that is never another one to the eye alone: providers use ids, names and addresses. */
const SUBJECT = /^[!-~]{0,255}$/;
/** An Ed25519 key has 32 bytes. */
const PUBLIC_KEY = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

export const operatorId = z
  .string()
  .regex(/^[a-z][a-z0-9._-]{0,31}$/, 'must be 1 to 32 of a-z, 0-9, ".", "-" and "_", and begin with a letter');

const publicKey = z.string().regex(PUBLIC_KEY, 'must be the public half of an Ed25519 key, as operators new-key shows it');
const person = { id: operatorId, name: field.name };

export const firstAdmin = z.object(
  { ...person, publicKey, oidcSubject: z.literal('', 'must be empty: the first two admins have keys') },
  'is missing',
);

/** Who is enrolled, by a key or by what the OpenID provider calls the person. */
export const newOperator = z.object(
  {
    ...person,
    publicKey: z.union([z.literal(''), publicKey]),
    oidcSubject: z.string().regex(SUBJECT, 'must have at most 255 characters of ASCII, without blanks'),
  },
  'is missing',
);

export const role = z.int().transform((value, problem) => {
  const known = fromRoleMessage(value);
  if (known !== undefined) return known;
  problem.addIssue('must be viewer, support, finance or admin');
  return z.NEVER;
});
