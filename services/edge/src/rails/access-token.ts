import type { IncomingMessage } from 'node:http';
import { verifyTokenRequest } from '@gerbang/core';
import { z } from 'zod';
import type { RailsContext } from './context.ts';
import {
  FEATURE_NOT_ALLOWED,
  mandatoryHeader,
  readFields,
  recentTimestamp,
  type SnapAnswer,
  SUCCESSFUL,
  unauthorized,
} from './snap.ts';
import { issueToken, TOKEN_LIFE_SECONDS } from './tokens.ts';

export const ACCESS_TOKEN = '73';

const schema = z.object({ grantType: z.literal('client_credentials') });

/**
 * POST /v1.0/access-token/b2b (SNAP 73): a token for the rail that signs `<client key>|<timestamp>` with its private key. For
 * rails whose transactions have the symmetric signature; the others need no token.
 */
export function accessToken(context: RailsContext, request: IncomingMessage, body: string): SnapAnswer {
  const clientKey = mandatoryHeader(request, 'X-CLIENT-KEY', /^[A-Za-z0-9_-]{1,36}$/);
  const signature = mandatoryHeader(request, 'X-SIGNATURE');
  const nowMs = context.realNow();
  const timestamp = recentTimestamp(request, nowMs);
  const partner = context.partners.byClientKey.get(clientKey);
  if (partner === undefined || !verifyTokenRequest(clientKey, timestamp, signature, partner.proof.publicKey)) {
    throw unauthorized();
  }
  readFields(body, schema);
  if (partner.proof.algorithm !== 'HMAC-SHA512') return FEATURE_NOT_ALLOWED;
  const token = issueToken(partner.partnerId, partner.proof.clientSecret, nowMs);
  return { ...SUCCESSFUL, fields: { accessToken: token, tokenType: 'Bearer', expiresIn: String(TOKEN_LIFE_SECONDS) } };
}
