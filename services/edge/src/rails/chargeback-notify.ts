import { RefusalError } from '@gerbang/core';
import { z } from 'zod';
import type { RailCall } from './call.ts';
import type { RailsContext } from './context.ts';
import { amountSen, reference, type SnapAnswer, SUCCESSFUL, timeMs } from './snap.ts';

const NOT_FOUND: SnapAnswer = { http: 404, caseCode: '01', message: 'Transaction Not Found' };

export const chargebackNotifySchema = z.object({
  caseId: reference(64),
  originalPartnerReferenceNo: reference(64),
  amount: amountSen,
  reasonCode: z.string().max(16).default(''),
  reason: z.string().max(128).default(''),
  respondBy: timeMs.optional(),
  stage: z.enum(['chargeback', 'pre-arbitration']).default('chargeback'),
  status: z.enum(['open', 'withdrawn']),
});

/** POST /v1.0/card/chargeback-notify of an acquirer: a card holder disputes a payment, or does not any more. */
export async function chargebackNotify(
  { cards }: RailsContext,
  { body }: RailCall<z.output<typeof chargebackNotifySchema>>,
): Promise<SnapAnswer> {
  try {
    await cards.reportChargeback({
      caseId: body.caseId,
      reference: body.originalPartnerReferenceNo,
      amountSen: body.amount,
      reasonCode: body.reasonCode,
      reason: body.reason,
      ...(body.respondBy !== undefined && { respondByMs: BigInt(body.respondBy) }),
      isPreArbitration: body.stage === 'pre-arbitration',
      isWithdrawn: body.status === 'withdrawn',
    });
    return SUCCESSFUL;
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === 'transaction_not_found') return NOT_FOUND;
    throw error;
  }
}
