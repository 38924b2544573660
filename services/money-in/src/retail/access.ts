import { RefusalError, refuseField } from '@gerbang/core';
import type { Context } from '../context.ts';
import { RETAIL } from './retail.ts';

/** A merchant without this product gets a validation error, unlike with any other product (contract §2). Refusals: validation. */
export async function mustHaveRetail({ merchants }: Pick<Context, 'merchants'>, merchantId: string): Promise<void> {
  const { products } = await merchants.profile(merchantId);
  if (!products.includes(RETAIL)) throw new RefusalError(refuseField('retail_code', 'the merchant does not have this product'));
}
