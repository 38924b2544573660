import type { IncomingMessage } from 'node:http';
import type { Identity } from '@gerbang/runtime';

/** Who a request was found to come from, where it is refused all the same. */
export type Authenticated = { clientId: string; merchantId: string };

const authenticated = new WeakMap<IncomingMessage, Authenticated>();

/** Remembers whose proof was good, for the log of refusals: the checks after it may still refuse. */
export function noteAuthenticated(request: IncomingMessage, who: Authenticated): void {
  authenticated.set(request, who);
}

export function authenticatedBy(request: IncomingMessage): Authenticated | undefined {
  return authenticated.get(request);
}

/** Headers by which merchants and rails say who they are, the most exact first. */
const CLAIMS = ['x-client-id', 'x-client-key', 'x-partner-id'] as const;

/** Who a request says it comes from: the name of its Basic credentials, or one of these headers. Nothing of it is proved. */
export function claimedBy({ headers }: IncomingMessage): Identity | undefined {
  const basic = /^Basic +([A-Za-z0-9+/_=-]{1,512})$/i.exec(headers.authorization ?? '')?.[1];
  const client = basic === undefined ? undefined : Buffer.from(basic, 'base64').toString('latin1').split(':', 1)[0];
  const claims = [client, ...CLAIMS.map((name) => headers[name])];
  const id = claims.find((claim) => typeof claim === 'string' && claim !== '');
  return typeof id === 'string' ? { id, proof: 'claimed' } : undefined;
}
