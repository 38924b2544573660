import type { RotateSecretRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { Context } from '../../context.ts';
import { newClientSecret, sealSecret } from '../../merchant/client-secret.ts';
import { commandMerchant } from '../command-merchant.ts';
import { field, parse } from '../input.ts';

/**
 * A new secret for a credential, shown this once; the old one and its tokens are refused within 5 s. Refusals: validation,
 * merchant_not_found, not_found, bad_request (disabled).
 */
export async function rotateSecret(context: Context, request: RotateSecretRequest) {
  const { operator, merchantId, clientId } = parse(
    { operator: field.operator, merchantId: field.merchantId, clientId: field.clientId },
    request,
  );
  const clientSecret = newClientSecret();
  const secret = await sealSecret(context.keys, merchantId, clientId, clientSecret);
  await commandMerchant(
    context,
    { operator, command: 'credential.rotate', merchantId },
    { type: 'rotate-secret', clientId, secret },
  );
  return { clientSecret };
}
