import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { equalsInConstantTime, RefusalError, refuse, tokenSignature } from '@gerbang/core';
import { networkOf } from '@gerbang/runtime';
import type { Context } from '../context.ts';
import { closed, compileAccess, type EdgeCredential, type MerchantAccess } from './access-cache.ts';
import { headerOf, mustHavePartnerId } from './auth.ts';
import type { Caller } from './call.ts';
import { noteAuthenticated } from './identity.ts';
import { callerAddress } from './ip-whitelist.ts';

const LOOKUP_TIMEOUT_MS = 3_000;
const CLIENT_ID_LENGTH_MAX = 128;

/** Stands in for a client that does not exist, so that guessing takes the same path and time as for one that does. */
const NOBODY: EdgeCredential = {
  clientId: '',
  clientSecret: randomBytes(32).toString('hex'),
  active: false,
  generation: 0n,
  allows: () => false,
};

/** The v1.0 token endpoint: `Authorization: Basic base64(client_id:client_secret)`. Refusals as `admitClient`. */
export function admitBasic(context: Context, request: IncomingMessage): Promise<Caller> {
  const encoded = /^Basic +([A-Za-z0-9+/_=-]+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const clientId = colon < 0 ? '' : text.slice(0, colon);
  const secret = text.slice(colon + 1);
  return admitClient(context, request, clientId, (credential) => equalsInConstantTime(secret, credential.clientSecret));
}

/**
 * The v1.1 token endpoint: X-CLIENT-ID and X-Signature of today in Asia/Jakarta by real time (contract §3). Refusals as
 * `admitClient`.
 */
export function admitClientSignature(context: Context, request: IncomingMessage): Promise<Caller> {
  const clientId = headerOf(request, 'x-client-id') ?? '';
  const signature = headerOf(request, 'x-signature') ?? '';
  return admitClient(context, request, clientId, (credential) =>
    equalsInConstantTime(signature, tokenSignature(clientId, credential.clientSecret, context.realNow())),
  );
}

/**
 * One message for every wrong client, secret, signature or partner id. The rates are looked at before the secret: they are what
 * bounds guessing, that of an address first. Refusals: validation (no X-PARTNER-ID), rate_limited, unauthorized, ip_not_allowed,
 * unavailable.
 */
async function admitClient(
  context: Context,
  request: IncomingMessage,
  clientId: string,
  proves: (credential: EdgeCredential) => boolean,
): Promise<Caller> {
  const partnerId = mustHavePartnerId(request);
  const address = callerAddress(request, context.trustedProxies);
  const network = networkOf(address ?? '');
  const client = clientId.slice(0, CLIENT_ID_LENGTH_MAX);
  mustNotHaveFailedOften(context, client, network);
  context.tokenLimit.count(`${client} ${network}`);
  const access = await findAccess(context, clientId);
  const credential = access?.credentials.get(clientId) ?? NOBODY;
  const provesSecret = proves(credential);
  const provesPartner = equalsInConstantTime(partnerId, access?.partnerId ?? '');
  if (access === undefined || !provesSecret || !provesPartner || !credential.active) {
    context.tokenFailures.failed(network);
    throw new RefusalError(refuse('unauthorized', { message: 'Invalid credentials' }));
  }
  noteAuthenticated(request, { clientId, merchantId: access.merchantId });
  context.tokenFailures.proved(client, network);
  if (address === undefined || !credential.allows(address)) throw new RefusalError(refuse('ip_not_allowed'));
  return { merchantId: access.merchantId, clientId, clientSecret: credential.clientSecret, accessToken: '' };
}

/** Refusals: rate_limited. */
function mustNotHaveFailedOften({ tokenFailures, limitMetrics }: Context, client: string, network: string): void {
  const retryAfterMs = tokenFailures.wait(client, network);
  if (retryAfterMs === undefined) return;
  limitMetrics.refused('http', 'refused tokens of an address');
  throw new RefusalError(refuse('rate_limited', { retryAfterMs }));
}

/** Asked anew each time: tokens are rare, a known client takes as long as an unknown one, and a rotated secret holds at once. */
async function findAccess({ merchants }: Context, clientId: string): Promise<MerchantAccess | undefined> {
  if (clientId.length > CLIENT_ID_LENGTH_MAX) return undefined;
  try {
    const { access } = await merchants.getAccess({ by: { case: 'clientId', value: clientId } }, { timeoutMs: LOOKUP_TIMEOUT_MS });
    return access === undefined ? undefined : compileAccess(access);
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === 'merchant_not_found') return undefined;
    throw closed(error);
  }
}
