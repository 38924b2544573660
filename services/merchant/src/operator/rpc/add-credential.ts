import type { AddCredentialRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { mustFind } from '../../merchant/change-merchant.ts';
import { newClientSecret, sealSecret } from '../../merchant/client-secret.ts';
import { newClientId } from '../../merchant/names.ts';
import { commandMerchant } from '../command-merchant.ts';
import { field, parse } from '../input.ts';
import { claimed } from './create-merchant.ts';

/**
 * One more credential; its secret is shown this once, and signs webhooks from now on. Refusals: validation, merchant_not_found,
 * bad_request (too many).
 */
export async function addCredential(context: Context, request: AddCredentialRequest, call: OperatorCall) {
  const { merchantId } = parse({ merchantId: field.merchantId }, request);
  await mustFind(context, merchantId);
  const clientId = await claimed(newClientId, (id) => context.merchants.claims.claimClientId(id, merchantId));
  const clientSecret = newClientSecret();
  const secret = await sealSecret(context.keys, merchantId, clientId, clientSecret);
  await commandMerchant(context, call, { command: 'credential.add', merchantId }, { type: 'add-credential', clientId, secret });
  return { clientId, clientSecret };
}
