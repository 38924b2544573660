import { RefusalError } from '@gerbang/core';
import type { RailCall } from './call.ts';
import type { RailsContext } from './context.ts';
import { type SnapAnswer, SUCCESSFUL } from './snap.ts';

const TRANSACTION_NOT_FOUND: SnapAnswer = { http: 404, caseCode: '01', message: 'Transaction Not Found' };

/** POST /v1.0/debit/notify of an acquirer: something has changed about a card payment. The acquirer is asked what. */
export async function cardNotify(
  { cards }: RailsContext,
  { body }: RailCall<{ originalPartnerReferenceNo: string }>,
): Promise<SnapAnswer> {
  try {
    await cards.reportPayment({ reference: body.originalPartnerReferenceNo });
    return SUCCESSFUL;
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === 'transaction_not_found') return TRANSACTION_NOT_FOUND;
    throw error;
  }
}
