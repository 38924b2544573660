import { RefusalError, refuseField } from '@gerbang/core';
import type { ListEwalletStatusesRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { payableOfCheckoutId, toEwalletStatus } from '../../ewallet-checkout/message.ts';

const CHECKOUTS_MAX = 500;

/** How e-wallet checkouts stand; those that are unknown are left out. Refusals: validation (transaction_ids). */
export async function listEwalletStatuses(
  { payables }: Pick<Context, 'payables'>,
  { transactionIds }: ListEwalletStatusesRequest,
) {
  if (transactionIds.length > CHECKOUTS_MAX)
    throw new RefusalError(refuseField('transaction_ids', `must be at most ${CHECKOUTS_MAX}`));
  const ids = transactionIds.flatMap((transactionId) => payableOfCheckoutId(transactionId) ?? []);
  return { ewalletStatuses: (await payables.findMany(ids)).map(toEwalletStatus) };
}
