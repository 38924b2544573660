import { RefusalError, refuse } from '@gerbang/core';
import { isUuid } from '../binding/own.ts';
import type { Context } from '../context.ts';
import type { StoredCharge } from './document.ts';

/** A merchant's own charge. Refusals: transaction_not_found. */
export async function findOwnCharge(
  { charges }: Pick<Context, 'charges'>,
  merchantId: string,
  transactionId: string,
): Promise<StoredCharge> {
  const found = isUuid(transactionId) ? await charges.find(transactionId) : undefined;
  if (found?.order.merchantId !== merchantId) throw new RefusalError(refuse('transaction_not_found'));
  return found;
}
