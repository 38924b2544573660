import { PAYMENT_METHOD_CODES, RefusalError } from '@gerbang/core';
import type { Context } from '../context.ts';
import { isOffered, type Method } from '../payment-request/method.ts';

/** Codes of the methods by which customers of a merchant with these products can pay here; undefined: of any merchant. */
export function offeredMethods(methods: readonly Method[], products?: readonly string[]): string[] {
  return PAYMENT_METHOD_CODES.filter((code) => isOffered(methods, code, products));
}

/**
 * The merchant's products for a page; undefined while the merchant service does not answer: what a method needs is then checked when
 * it is used.
 */
export async function shownProducts(
  { merchants }: Pick<Context, 'merchants'>,
  merchantId: string,
): Promise<string[] | undefined> {
  try {
    return (await merchants.profile(merchantId)).products;
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === 'unavailable') return undefined;
    throw error;
  }
}
