import type { ListPayableMethodsRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { offeredMethods } from '../payment-methods.ts';

/** The methods by which customers can pay links of a merchant here. Refusals: merchant_not_found, unavailable. */
export async function listPayableMethods(
  { kinds, merchants }: Pick<Context, 'kinds' | 'merchants'>,
  { merchantId }: ListPayableMethodsRequest,
) {
  const products = merchantId === '' ? undefined : (await merchants.profile(merchantId)).products;
  return { codes: offeredMethods(kinds.methods, products) };
}
