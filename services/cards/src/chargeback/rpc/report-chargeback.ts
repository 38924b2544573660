import { RefusalError, refuseField } from '@gerbang/core';
import type { ReportChargebackRequest } from '@gerbang/proto/gerbang/cards/v1/cards';
import type { Context } from '../../context.ts';
import { takeReport } from '../report.ts';

/** An acquirer reports a chargeback. Refusals: validation (amount_sen), transaction_not_found, unavailable. */
export async function reportChargeback(context: Context, request: ReportChargebackRequest) {
  const { caseId, reference, amountSen, reasonCode, reason, respondByMs, isPreArbitration, isWithdrawn } = request;
  if (amountSen <= 0n) throw new RefusalError(refuseField('amount_sen', 'must be more than 0'));
  await takeReport(context, {
    caseId,
    reference,
    amountSen: amountSen.toString(),
    reasonCode,
    reason,
    respondByMs: respondByMs === undefined ? undefined : Number(respondByMs),
    stage: isPreArbitration ? 'pre-arbitration' : 'chargeback',
    isWithdrawn,
  });
  return {};
}
