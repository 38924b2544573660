import { RefusalError, refuseField } from '@gerbang/core';
import type { ListSessionsRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { PAYMENT_LINK_HISTORY } from '../../payable/product.ts';
import { payableOfLinkReference, toHistory } from '../../payment-link/message.ts';

const SESSIONS_MAX = 500;

/** How sessions stand; those that are unknown are left out. Refusals: validation (reff_nos). */
export async function listSessions({ payables }: Pick<Context, 'payables'>, { reffNos }: ListSessionsRequest) {
  if (reffNos.length > SESSIONS_MAX) throw new RefusalError(refuseField('reff_nos', `must be at most ${SESSIONS_MAX}`));
  const ids = reffNos.flatMap((reffNo) => payableOfLinkReference(PAYMENT_LINK_HISTORY, reffNo) ?? []);
  return { paymentLinkHistories: (await payables.findMany(ids)).map(toHistory) };
}
