import { accessTokenSchema, presentAccessToken } from '@gerbang/present';
import { z } from 'zod';
import { text } from '../../http/fields.ts';
import { type Operation, operation } from '../../http/operation.ts';

const body = z.object({
  grant_type: text
    .refine((type) => type === 'client_credentials', 'must be client_credentials')
    .meta({ override: { type: 'string', const: 'client_credentials' } }),
});

/** POST /api/v1.0/access-token/b2b: the client proves itself by its secret. Refusals: validation (grant_type). */
export const issueTokenV10 = issueToken(
  'issueTokenV10',
  'The older way, with client id and secret as the user and password of Basic authentication.',
);

/** POST /api/v1.1/access-token/b2b: the client proves itself by a signature (contract §3). Refusals: validation (grant_type). */
export const issueTokenV11 = issueToken(
  'issueTokenV11',
  '`X-Signature` is the HMAC-SHA512 of `{client_id}_{client_secret}_{YYYYMMDD}` keyed with the client secret, in lower-case ' +
    "hex. The day is today's in Asia/Jakarta.",
);

function issueToken(id: string, description: string): Operation {
  return operation({
    id,
    summary: 'Get an access token',
    description: `${description} The token lives 15 minutes: ask for a new one before it ends.`,
    input: z.object({ body }),
    data: accessTokenSchema,
    async handle({ merchants }, { caller: { merchantId, clientId } }) {
      return { data: presentAccessToken(await merchants.issueToken({ merchantId, clientId })) };
    },
  });
}
