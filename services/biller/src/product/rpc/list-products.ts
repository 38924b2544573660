import type { ListPrepaidProductsRequest } from '@gerbang/proto/gerbang/biller/v1/biller';
import type { Context } from '../../context.ts';
import { toMessage } from '../message.ts';
import { BILLER } from '../product.ts';

/** What can be bought now. Refusals: product_not_allowed. */
export async function listPrepaidProducts({ merchants, products, clock }: Context, request: ListPrepaidProductsRequest) {
  await merchants.admitProduct(request.merchantId, BILLER);
  const sold = await products.listSold(clock.now(), request.command === '' ? undefined : request.command);
  return { products: sold.map(toMessage) };
}
