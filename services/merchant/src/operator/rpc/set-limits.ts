import type { SetLimitsRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { commandMerchant } from '../command-merchant.ts';
import { field, parse } from '../input.ts';

const limit = z
  .object({ product: field.product, minimumSen: field.sen, maximumSen: field.sen }, 'is missing')
  .refine(({ minimumSen, maximumSen }) => maximumSen === 0n || maximumSen >= minimumSen, {
    path: ['maximumSen'],
    message: 'must not be less than the minimum',
  });

/** Replaces the bounds of a product's payments. Refusals: validation, merchant_not_found. */
export async function setLimits(context: Context, request: SetLimitsRequest) {
  const input = parse({ operator: field.operator, merchantId: field.merchantId, limit }, request);
  const { operator, merchantId } = input;
  await commandMerchant(context, { operator, command: 'limit.set', merchantId }, { type: 'set-limit', limit: input.limit });
  return {};
}
