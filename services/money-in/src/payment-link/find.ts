import { RefusalError, refuse } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { StoredPaymentRequest } from '../payment-request/document.ts';
import { requestOfLinkReference } from './payment-link.ts';

/** The link of a reference. Refusals: transaction_not_found. */
export async function findLink(
  { paymentRequests }: Pick<Context, 'paymentRequests'>,
  reference: string,
): Promise<StoredPaymentRequest> {
  const id = requestOfLinkReference(reference);
  const found = id === undefined ? undefined : await paymentRequests.find(id);
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  return found;
}
