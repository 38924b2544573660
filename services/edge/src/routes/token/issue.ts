import { presentAccessToken } from '@gerbang/present';
import { z } from 'zod';
import { text } from '../../http/fields.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';

const body = z.object({ grant_type: text.refine((type) => type === 'client_credentials', 'must be client_credentials') });

/** POST access-token/b2b, both versions, for a client that has proved itself (contract §3). Refusals: validation (grant_type). */
export const issueToken: Handler = async ({ merchants }, call) => {
  validate(body, call.body);
  const { merchantId, clientId } = call.caller;
  return { data: presentAccessToken(await merchants.issueToken({ merchantId, clientId })) };
};
