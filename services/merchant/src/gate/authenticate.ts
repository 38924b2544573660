import type { RefusalCode } from '@gerbang/core';
import {
  CLI_ISSUER,
  claimedSubject,
  type ExpectedCall,
  LOGIN_ISSUER,
  readLoginToken,
  verifyOperatorToken,
} from '@gerbang/neighbours';
import type { BeginRequest } from '@gerbang/proto/gerbang/operator/v1/operator';
import type { Context } from '../context.ts';
import { ProviderUnreachable } from '../oidc/key-set.ts';
import type { OidcProvider } from '../oidc/provider.ts';
import { lesserRole, type Operator } from '../operators/operator.ts';

/** The longest token that is read; an ID token may have many groups in it. */
const TOKEN_CHARACTERS_MAX = 24 * 1024;

/** Who gives a call. A refusal names the operator where one was claimed. */
export type Authenticated = { operator: Operator } | { code: RefusalCode; reason: string; operator?: Operator | undefined };

type Checked = { operator: Operator; tokenId: string; endsMs: number } | Exclude<Authenticated, { operator: Operator }>;

/** The operator whose token came with the call, and which is for this call. */
export async function authenticate(context: Context, request: BeginRequest): Promise<Authenticated> {
  const { token, service, method, readOnly } = request;
  const requestHash = Buffer.from(request.requestHash).toString('base64url');
  const expected = { audience: service, method, requestHash, nowMs: context.realNow() };
  const checked = await checkToken(context, token, expected);
  if ('code' in checked) return checked;
  const { operator, tokenId, endsMs } = checked;
  if (!operator.active) return { code: 'unauthorized', reason: 'the operator is disabled', operator };
  if (readOnly || (await context.operators.useToken(operator.id, tokenId, endsMs))) return { operator };
  return { code: 'unauthorized', reason: 'the token was used before', operator };
}

async function checkToken(context: Context, token: string, expected: ExpectedCall): Promise<Checked> {
  if (token === '') return unauthorized('there is no token');
  if (token.length > TOKEN_CHARACTERS_MAX) return unauthorized('the token is too long');
  const claimed = claimedSubject(token);
  if (claimed === undefined) return unauthorized('the token can not be read');
  if (claimed.issuer === CLI_ISSUER) return checkKey(context, token, claimed.subject, expected);
  if (claimed.issuer !== LOGIN_ISSUER) return unauthorized('no such operator is enrolled');
  if (context.provider === undefined) return unauthorized('operators do not log in here: OPERATOR_OIDC_ISSUER is not set');
  return checkLogin(context, context.provider, token, expected);
}

/** An operator with an own key. */
async function checkKey({ operators }: Context, token: string, id: string, expected: ExpectedCall): Promise<Checked> {
  const operator = await operators.find(id);
  if (operator?.identity.by !== 'key') return unauthorized('no such operator is enrolled');
  const checked = await verifyOperatorToken(token, operator.identity.publicKey, expected);
  return 'reason' in checked ? unauthorized(checked.reason, operator) : { ...checked, operator };
}

/** An operator who has logged in at the provider: the key of the login signs, and the ID token says whose it is. */
async function checkLogin(
  { operators, log }: Context,
  provider: OidcProvider,
  token: string,
  expected: ExpectedCall,
): Promise<Checked> {
  const read = await readLoginToken(token, expected);
  if ('reason' in read) return unauthorized(read.reason);
  const { idToken, nonce, tokenId, endsMs } = read;
  try {
    const login = await provider.check(idToken, { nonce, nowMs: expected.nowMs });
    if ('reason' in login) return { code: login.isForbidden ? 'forbidden' : 'unauthorized', reason: login.reason };
    const { subject, roleMax } = login;
    const operator = await operators.findByIdentity({ by: 'provider', issuer: provider.issuer, subject });
    if (operator === undefined) return unauthorized(`the subject ${subject} of ${provider.issuer} is not enrolled`);
    const role = roleMax === undefined ? operator.role : lesserRole(operator.role, roleMax);
    return { operator: { ...operator, role }, tokenId, endsMs };
  } catch (error) {
    if (!(error instanceof ProviderUnreachable)) throw error;
    log.warn({ err: error }, 'alert: operators can not log in, the OpenID provider does not answer');
    return { code: 'unavailable', reason: error.message };
  }
}

function unauthorized(reason: string, operator?: Operator): Exclude<Authenticated, { operator: Operator }> {
  return { code: 'unauthorized', reason, operator };
}
