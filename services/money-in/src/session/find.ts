import { RefusalError, refuse } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { StoredPaymentRequest } from '../payment-request/document.ts';
import { asSession, requestOfSessionReference } from './session.ts';

/** The session of a reference, with its link. Refusals: transaction_not_found. */
export async function findSession(
  { paymentRequests }: Pick<Context, 'paymentRequests'>,
  reference: string,
): Promise<{ session: StoredPaymentRequest; link: StoredPaymentRequest }> {
  const id = requestOfSessionReference(reference);
  const session = id === undefined ? undefined : await paymentRequests.find(id);
  const link = session && (await paymentRequests.find(asSession(session.details).linkId));
  if (session === undefined || link === undefined) throw new RefusalError(refuse('transaction_not_found'));
  return { session, link };
}
