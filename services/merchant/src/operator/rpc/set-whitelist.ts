import type { SetWhitelistRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { commandMerchant } from '../command-merchant.ts';
import { field, parse } from '../input.ts';

/**
 * Replaces the addresses that the merchant, or one of its credentials, may call from. Refusals: validation, merchant_not_found,
 * not_found.
 */
export async function setWhitelist(context: Context, request: SetWhitelistRequest) {
  const { operator, merchantId, clientId, entries } = parse(
    {
      operator: field.operator,
      merchantId: field.merchantId,
      clientId: z.union([z.literal('').transform(() => undefined), field.clientId]),
      entries: field.whitelist,
    },
    request,
  );
  await commandMerchant(
    context,
    { operator, command: 'whitelist.set', merchantId },
    { type: 'set-whitelist', clientId, entries },
  );
  return {};
}
