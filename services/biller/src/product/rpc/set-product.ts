import { type Json, RefusalError, refuseField, refuseFields } from '@gerbang/core';
import type { SetProductRequest } from '@gerbang/proto/gerbang/biller/v1/biller';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { fromMessage } from '../message.ts';
import { type Product, problemsOf } from '../product.ts';

/**
 * Sets a version of a product; a reference number that was given before keeps its price. Refusals: validation.
 */
export async function setProduct({ products, clock }: Context, { product: sent }: SetProductRequest, call: OperatorCall) {
  if (sent === undefined) throw new RefusalError(refuseField('product', 'is required'));
  const product = fromMessage(sent);
  const errors = problemsOf(product);
  if (Object.keys(errors).length > 0) throw new RefusalError(refuseFields(errors));
  const before = await products.find(product.code, clock.now());
  call.record({ target: `product:${product.code}`, before: toJson(before), after: toJson(product) });
  await products.set(product);
  return {};
}

function toJson(product: Product | undefined): Json {
  if (product === undefined) return null;
  const { amountSen, adminSen, effectiveUntilMs, ...rest } = product;
  return {
    ...rest,
    amountSen: amountSen.toString(),
    adminSen: adminSen.toString(),
    effectiveUntilMs: effectiveUntilMs ?? null,
  };
}
