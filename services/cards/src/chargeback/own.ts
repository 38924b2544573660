import { isUlid, RefusalError, refuse } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { StoredChargeback } from './document.ts';

/** Refusals: transaction_not_found. */
export async function mustFindChargeback({ chargebacks }: Pick<Context, 'chargebacks'>, id: string): Promise<StoredChargeback> {
  const found = isUlid(id) ? await chargebacks.find(id) : undefined;
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  return found;
}
