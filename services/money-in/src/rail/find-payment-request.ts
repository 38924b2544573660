import type { Context } from '../context.ts';
import type { StoredPaymentRequest } from '../payment-request/document.ts';
import type { PaidByRail, Rail } from './rail.ts';

/**
 * The payment request that customers of a rail pay to: by a number that is claimed for it, or by our reference. Undefined where
 * there is none, or for a number of a bank or chain that the caller does not speak for.
 */
export async function findPaid(
  { paymentRequests, claims, kinds }: Pick<Context, 'paymentRequests' | 'claims' | 'kinds'>,
  rail: Rail,
  { paidTo, issuers }: Pick<PaidByRail, 'paidTo' | 'issuers'>,
): Promise<StoredPaymentRequest | undefined> {
  let id: string | undefined;
  if (rail.issuerOf === undefined) id = kinds.idOfReference(rail.name, paidTo);
  else {
    const issuer = rail.issuerOf(paidTo);
    const isOfCaller = issuer !== undefined && (issuers.length === 0 || issuers.includes(issuer));
    id = isOfCaller ? await claims.ownerOf(rail.name, paidTo) : undefined;
  }
  return id === undefined ? undefined : paymentRequests.find(id);
}
