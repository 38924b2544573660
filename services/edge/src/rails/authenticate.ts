import type { IncomingMessage } from 'node:http';
import { verifyMessage, verifyTransaction } from '@gerbang/core';
import type { RailsContext } from './context.ts';
import type { RailPartner } from './partners.ts';
import { mandatoryHeader, recentTimestamp, SnapRefusal, unauthorized } from './snap.ts';
import { isToken } from './tokens.ts';

/**
 * What can be checked before the body is read: a partner that is known, a time that is near, and every header that SNAP wants.
 */
export type RailCaller = { partner: RailPartner; signature: string; timestamp: string; accessToken: string };

/** Refusals: 400 01 and 02 (headers), 401 00 (partner, time), 401 01 (access token). */
export function findCaller(context: RailsContext, request: IncomingMessage): RailCaller {
  const partnerId = mandatoryHeader(request, 'X-PARTNER-ID', /^[A-Za-z0-9_-]{1,36}$/);
  const signature = mandatoryHeader(request, 'X-SIGNATURE');
  mandatoryHeader(request, 'X-EXTERNAL-ID', /^[0-9]{1,36}$/);
  mandatoryHeader(request, 'CHANNEL-ID', /^[\x21-\x7e]{1,36}$/);
  const nowMs = context.realNow();
  const timestamp = recentTimestamp(request, nowMs);
  const partner = context.partners.byPartnerId.get(partnerId);
  if (partner === undefined) throw unauthorized();
  return { partner, signature, timestamp, accessToken: tokenOf(partner, request, nowMs) };
}

/**
 * Whether the body and the caller's time are what the partner has signed, by the algorithm that its configuration names. That
 * X-EXTERNAL-ID is unique a day is not remembered here: a bank whose acknowledgement was lost sends the very same request again
 * and must hear the same answer, and the edge keeps nothing that its replicas would share. A replay is harmless: a payment counts
 * once by the rail's own reference, which is signed with the rest and unique for ever in money-in, and a report that agrees with
 * the transfer's outcome changes nothing in money-out. After five minutes the X-TIMESTAMP is too old as well. Refusals: 401 00.
 */
export function checkSignature({ partner, signature, timestamp, accessToken }: RailCaller, path: string, body: string): void {
  const message = { method: 'POST', path, body, timestamp };
  if (!isSigned(partner, message, accessToken, signature)) throw unauthorized();
}

type Message = Parameters<typeof verifyMessage>[0];

function isSigned({ proof }: RailPartner, message: Message, accessToken: string, signature: string): boolean {
  switch (proof.algorithm) {
    case 'RSA-SHA256':
      return verifyMessage(message, signature, proof.publicKey);
    case 'HMAC-SHA512':
      return verifyTransaction({ ...message, accessToken }, proof.clientSecret, signature);
    default:
      return proof satisfies never;
  }
}

/** The asymmetric signature has no access token in it; the symmetric one has. */
function tokenOf({ partnerId, proof }: RailPartner, request: IncomingMessage, nowMs: number): string {
  if (proof.algorithm === 'RSA-SHA256') return '';
  const [scheme, token = ''] = mandatoryHeader(request, 'Authorization', /^[\x20-\x7e]{1,4096}$/).split(' ');
  if (scheme !== 'Bearer' || !isToken(token, partnerId, proof.clientSecret, nowMs)) {
    throw new SnapRefusal(401, '01', 'Invalid Token (B2B)');
  }
  return token;
}
