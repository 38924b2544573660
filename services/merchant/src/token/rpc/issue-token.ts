import { RefusalError, refuse } from '@gerbang/core';
import type { IssueTokenRequest } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { Context } from '../../context.ts';
import { findCredential } from '../../merchant/merchant.ts';
import { signJwt } from '../jwt.ts';
import { TOKEN_LIFE_MS } from '../key-schedule.ts';

/** An access token for an active credential, valid for 900 s of real time (contract §3). Refusals: merchant_not_found. */
export async function issueToken(context: Context, { merchantId, clientId }: IssueTokenRequest) {
  const stored = await context.merchants.find(merchantId);
  const credential = stored && findCredential(stored.merchant, clientId);
  if (credential === undefined || !credential.active) throw new RefusalError(refuse('merchant_not_found'));
  const { kid, privateKey } = await context.signingKeys.current();
  const nowMs = context.realNow();
  const iat = Math.floor(nowMs / 1_000);
  const exp = iat + TOKEN_LIFE_MS / 1_000;
  const claims = {
    iss: 'gerbang',
    sub: merchantId,
    cid: clientId,
    gen: credential.generation,
    jti: context.newId(nowMs),
    iat,
    exp,
  };
  context.metrics.tokenIssued();
  return {
    accessToken: signJwt(claims, kid, privateKey),
    expiresAtMs: BigInt(exp) * 1_000n,
    expiresInSeconds: TOKEN_LIFE_MS / 1_000,
  };
}
