import type { oas31 } from 'zod-openapi';
import type { Route } from '../http/route.ts';

/** How a client proves itself (merchant-api.md, Authentication; contract §3). */
export const SECURITY_SCHEMES: Record<string, oas31.SecuritySchemeObject> = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The access token of a token operation.' },
  partnerId: { type: 'apiKey', in: 'header', name: 'X-PARTNER-ID', description: "The merchant's API key." },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Signature',
    description:
      'Of a request: HMAC-SHA512 of `METHOD:ENDPOINT:ACCESS_TOKEN:hashed_body:TIMESTAMP`, keyed with the client secret, in ' +
      'lower-case hex; `hashed_body` is the SHA-256 of the body with its keys sorted at every depth and no white space. ' +
      'Of the v1.1 token: see there.',
  },
  timestamp: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Timestamp',
    description: "Unix seconds, at most 300 away from the gateway's clock.",
  },
  basic: { type: 'http', scheme: 'basic', description: 'Client id and client secret.' },
  clientId: { type: 'apiKey', in: 'header', name: 'X-CLIENT-ID', description: 'The client id.' },
};

const NONE: string[] = [];
const BY_CREDENTIAL: Record<Route['credential'], oas31.SecurityRequirementObject> = {
  token: { bearer: NONE, partnerId: NONE },
  basic: { basic: NONE, partnerId: NONE },
  'client-signature': { clientId: NONE, partnerId: NONE, signature: NONE },
};

/** What a request to the route must carry, all of it together. */
export function securityOf({ credential, signed }: Route): oas31.SecurityRequirementObject[] {
  return [{ ...BY_CREDENTIAL[credential], ...(signed && { signature: NONE, timestamp: NONE }) }];
}
