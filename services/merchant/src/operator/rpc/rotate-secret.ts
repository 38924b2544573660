import type { RotateSecretRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { newClientSecret, sealSecret } from '../../merchant/client-secret.ts';
import { commandMerchant } from '../command-merchant.ts';
import { field, parse } from '../input.ts';

/**
 * A new secret for a credential, shown this once; the old one and its tokens are refused within 5 s. Refusals: validation,
 * merchant_not_found, not_found, bad_request (disabled).
 */
export async function rotateSecret(context: Context, request: RotateSecretRequest, call: OperatorCall) {
  const { merchantId, clientId } = parse({ merchantId: field.merchantId, clientId: field.clientId }, request);
  const clientSecret = newClientSecret();
  const secret = await sealSecret(context.keys, merchantId, clientId, clientSecret);
  await commandMerchant(context, call, { command: 'credential.rotate', merchantId }, { type: 'rotate-secret', clientId, secret });
  return { clientSecret };
}
