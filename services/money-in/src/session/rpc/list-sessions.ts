import { RefusalError, refuseField } from '@gerbang/core';
import type { ListSessionsRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { toHistory } from '../message.ts';
import { requestOfSessionReference } from '../session.ts';

const SESSIONS_MAX = 500;

/** How sessions stand; those that are unknown are left out. Refusals: validation (reff_nos). */
export async function listSessions({ paymentRequests }: Pick<Context, 'paymentRequests'>, { reffNos }: ListSessionsRequest) {
  if (reffNos.length > SESSIONS_MAX) throw new RefusalError(refuseField('reff_nos', `must be at most ${SESSIONS_MAX}`));
  const ids = reffNos.flatMap((reffNo) => requestOfSessionReference(reffNo) ?? []);
  return { paymentLinkHistories: (await paymentRequests.findMany(ids)).map(toHistory) };
}
