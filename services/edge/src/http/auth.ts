import type { IncomingMessage } from 'node:http';
import { equalsInConstantTime, RefusalError, refuse, refuseField } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { MerchantAccess } from './access-cache.ts';
import type { Caller } from './call.ts';
import { noteAuthenticated } from './identity.ts';
import { callerAddress } from './ip-whitelist.ts';
import type { TokenClaims } from './token-verifier.ts';

const BEARER = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i;

/**
 * Who is calling, by the checks of contract §2 in their order: X-PARTNER-ID is there, the token is good and its credential too,
 * the partner id is the token's merchant, the address is on the whitelist, the merchant is within its rate. Refusals: validation,
 * unauthorized, ip_not_allowed, rate_limited, unavailable.
 */
export function admitBearer(context: Context, request: IncomingMessage): Caller | Promise<Caller> {
  const partnerId = mustHavePartnerId(request);
  const { authorization = '' } = request.headers;
  // A verified token was well-formed, so the usual spelling is looked up as it is.
  const sent = authorization.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : '';
  const claims = context.tokens.known(sent);
  const access = claims === undefined ? undefined : context.access.known(claims.merchantId);
  if (claims === undefined || access === undefined || isOlder(access, claims))
    return ask(context, request, partnerId, authorization);
  return admit(context, request, partnerId, { accessToken: sent, claims, access });
}

/** The way of a token or a merchant that is not in memory. */
async function ask(context: Context, request: IncomingMessage, partnerId: string, authorization: string): Promise<Caller> {
  const accessToken = BEARER.exec(authorization)?.[1];
  if (accessToken === undefined) throw new RefusalError(refuse('unauthorized'));
  const claims = await context.tokens.verify(accessToken);
  return admit(context, request, partnerId, { accessToken, claims, access: await accessOf(context, claims) });
}

function admit(
  context: Context,
  request: IncomingMessage,
  partnerId: string,
  { accessToken, claims, access }: { accessToken: string; claims: TokenClaims; access: MerchantAccess },
): Caller {
  const credential = access.credentials.get(claims.clientId);
  if (credential === undefined || !credential.active || credential.generation !== claims.generation) {
    throw new RefusalError(refuse('unauthorized'));
  }
  if (!equalsInConstantTime(partnerId, access.partnerId)) throw new RefusalError(refuse('unauthorized'));
  noteAuthenticated(request, { clientId: credential.clientId, merchantId: access.merchantId });
  const address = callerAddress(request, context.trustedProxies);
  if (address === undefined || !credential.allows(address)) throw new RefusalError(refuse('ip_not_allowed'));
  context.merchantLimit.count(access.merchantId);
  return {
    merchantId: access.merchantId,
    clientId: credential.clientId,
    clientSecret: credential.clientSecret,
    accessToken,
  };
}

/**
 * What is known of the token's merchant. A token was issued to a credential, and under a secret, that exist: where the cache does
 * not know them yet, it is the older of the two and is asked anew, so that the token of a new or rotated credential is good at
 * once.
 */
async function accessOf({ access }: Context, claims: TokenClaims): Promise<MerchantAccess> {
  const known = await access.ofMerchant(claims.merchantId);
  return isOlder(known, claims) ? access.ofMerchantNow(claims.merchantId) : known;
}

function isOlder(access: MerchantAccess, { clientId, generation }: TokenClaims): boolean {
  const credential = access.credentials.get(clientId);
  return credential === undefined || credential.generation < generation;
}

/** X-PARTNER-ID, which every request carries. Refusals: validation. */
export function mustHavePartnerId(request: IncomingMessage): string {
  const partnerId = headerOf(request, 'x-partner-id');
  if (partnerId === undefined || partnerId === '') throw new RefusalError(refuseField('X-PARTNER-ID', 'is required'));
  return partnerId;
}

/** A header by its lower-case name; one that came several times is joined by commas. */
export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
