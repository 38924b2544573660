import type { SetProductsRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { commandMerchant } from '../command-merchant.ts';
import { field, parse } from '../input.ts';

/** Replaces the products that the merchant has. Refusals: validation, merchant_not_found. */
export async function setProducts(context: Context, request: SetProductsRequest, call: OperatorCall) {
  const { merchantId, products } = parse({ merchantId: field.merchantId, products: field.products }, request);
  await commandMerchant(context, call, { command: 'products.set', merchantId }, { type: 'set-products', products });
  return {};
}
