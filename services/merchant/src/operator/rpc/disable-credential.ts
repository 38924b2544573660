import type { DisableCredentialRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { commandMerchant } from '../command-merchant.ts';
import { field, parse } from '../input.ts';

/** Ends a credential for good; its tokens are refused within 5 s. Refusals: validation, merchant_not_found, not_found. */
export async function disableCredential(context: Context, request: DisableCredentialRequest, call: OperatorCall) {
  const { merchantId, clientId } = parse({ merchantId: field.merchantId, clientId: field.clientId }, request);
  await commandMerchant(context, call, { command: 'credential.disable', merchantId }, { type: 'disable-credential', clientId });
  return {};
}
