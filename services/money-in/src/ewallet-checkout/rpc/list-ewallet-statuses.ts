import { RefusalError, refuseField } from '@gerbang/core';
import type { ListEwalletStatusesRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { requestOfCheckoutId } from '../ewallet-checkout.ts';
import { toEwalletStatus } from '../message.ts';

const CHECKOUTS_MAX = 500;

/** How e-wallet checkouts stand; those that are unknown are left out. Refusals: validation (transaction_ids). */
export async function listEwalletStatuses(
  { paymentRequests }: Pick<Context, 'paymentRequests'>,
  { transactionIds }: ListEwalletStatusesRequest,
) {
  if (transactionIds.length > CHECKOUTS_MAX)
    throw new RefusalError(refuseField('transaction_ids', `must be at most ${CHECKOUTS_MAX}`));
  const ids = transactionIds.flatMap((transactionId) => requestOfCheckoutId(transactionId) ?? []);
  return { ewalletStatuses: (await paymentRequests.findMany(ids)).map(toEwalletStatus) };
}
