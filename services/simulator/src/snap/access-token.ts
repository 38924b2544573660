import { equalsInConstantTime, verifyTokenRequest } from '@gerbang/core';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { Handler } from '../handler.ts';
import { mandatoryHeader, readBody, recentTimestamp, SnapRefusal, sendAnswer } from './snap.ts';

export const ACCESS_TOKEN = '73';

const schema = z.object({ grantType: z.literal('client_credentials') });

/**
 * POST /v1.0/access-token/b2b: a token for who signs `<client key>|<timestamp>` with the partner's private key (SNAP service 73).
 */
export const accessToken: Handler = async (context, request, reply) => {
  verifySignedRequest(context, request);
  readBody(typeof request.body === 'string' ? request.body : '', schema);
  const fields = { ...context.tokens.issue(), tokenType: 'Bearer' };
  return sendAnswer(context, reply, ACCESS_TOKEN, { http: 200, caseCode: '00', message: 'Successful', fields });
};

/** A request of tokens is signed by the partner's private key. Refuses with 401 00, and as headers are missing or malformed. */
export function verifySignedRequest(context: Context, request: FastifyRequest): void {
  const clientKey = mandatoryHeader(request, 'X-CLIENT-KEY');
  const signature = mandatoryHeader(request, 'X-SIGNATURE');
  const timestamp = recentTimestamp(request);
  const isSigned = verifyTokenRequest(clientKey, timestamp, signature, context.partner.publicKey);
  if (!equalsInConstantTime(clientKey, context.partner.clientKey) || !isSigned) {
    throw new SnapRefusal(401, '00', 'Unauthorized. {Signature}');
  }
}
