import type { SetWhitelistRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { commandMerchant } from '../command-merchant.ts';
import { field, parse } from '../input.ts';

/**
 * Replaces the addresses that the merchant, or one of its credentials, may call from. Refusals: validation, merchant_not_found,
 * not_found.
 */
export async function setWhitelist(context: Context, request: SetWhitelistRequest, call: OperatorCall) {
  const { merchantId, clientId, entries } = parse(
    {
      merchantId: field.merchantId,
      clientId: z.union([z.literal('').transform(() => undefined), field.clientId]),
      entries: field.whitelist,
    },
    request,
  );
  await commandMerchant(context, call, { command: 'whitelist.set', merchantId }, { type: 'set-whitelist', clientId, entries });
  return {};
}
