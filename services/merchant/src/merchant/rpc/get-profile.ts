import { type GetProfileRequest, MerchantStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { Context } from '../../context.ts';
import { mustFind } from '../change-merchant.ts';
import { toFeeMessage } from '../message.ts';

/** What product services go by: products, fees, limits, partition; no secret. Refusals: merchant_not_found. */
export async function getProfile(context: Context, { merchantId }: GetProfileRequest) {
  const stored = await mustFind(context, merchantId);
  const { merchant, version } = stored;
  return {
    profile: {
      merchantId,
      status: merchant.frozen ? MerchantStatus.FROZEN : MerchantStatus.ACTIVE,
      version,
      partition: merchant.partition,
      products: [...merchant.products],
      fees: merchant.fees.map(toFeeMessage),
      limits: [...merchant.limits],
      defaultAccountId: merchant.defaultAccountId,
      name: merchant.name,
    },
  };
}
