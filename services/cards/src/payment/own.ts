import { isUlid, RefusalError, refuse } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { StoredPayment } from './document.ts';

const PREFIX = '99';

/** The id of a card payment: "99" and a ULID (merchant-api.md, Conventions). */
export function paymentId(ulid: string): string {
  return PREFIX + ulid;
}

export function isPaymentId(id: string): boolean {
  return id.startsWith(PREFIX) && isUlid(id.slice(PREFIX.length));
}

/** A payment of a merchant's own account. Refusals: transaction_not_found. */
export async function findOwnPayment(
  { payments }: Pick<Context, 'payments'>,
  { merchantId, accountId, id }: { merchantId: string; accountId: string; id: string },
): Promise<StoredPayment> {
  const found = isPaymentId(id) ? await payments.find(id) : undefined;
  if (found === undefined || found.order.merchantId !== merchantId || found.order.accountId !== accountId)
    throw new RefusalError(refuse('transaction_not_found'));
  return found;
}
