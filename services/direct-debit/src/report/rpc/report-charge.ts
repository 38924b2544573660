import { RefusalError, refuse } from '@gerbang/core';
import type { ReportChargeRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { isUuid } from '../../binding/own.ts';
import { contradicts } from '../../charge/charge.ts';
import type { StoredCharge } from '../../charge/document.ts';
import { workOn } from '../../charge/place.ts';
import type { Context } from '../../context.ts';
import { compareWithBank } from '../../discrepancy/compare.ts';
import { askAboutOutcome, onDiscrepancyDue } from '../../discrepancy/on-due.ts';
import { reportDiscrepancy } from '../../discrepancy/report.ts';

/**
 * A bank reports that the outcome of a charge is known. It is only a hint: the bank is asked before anything is believed. Refusals:
 * transaction_not_found, unavailable.
 */
export async function reportCharge(context: Context, { partnerReference }: ReportChargeRequest) {
  const found = isUuid(partnerReference) ? await context.charges.find(partnerReference) : undefined;
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  if (found.state.status === 'sending') {
    if (!context.inProgress.has(partnerReference)) await workOn(context, found);
  } else if (!(await isToldAbout(context, found)))
    throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }), new Error('the bank does not answer'));
  return {};
}

/**
 * A charge that has failed here may have been taken by the bank all the same, and what operators have decided may be otherwise at
 * the bank. Gives false where the bank does not answer.
 */
async function isToldAbout(context: Context, charge: StoredCharge): Promise<boolean> {
  const known = await context.discrepancies.find(charge.order.id);
  if (known?.state.status === 'watching') return askAboutOutcome(context, known);
  if (known !== undefined && known.state.status !== 'closed') {
    await onDiscrepancyDue(context, known);
    return true;
  }
  if (!contradicts(charge.state)) return true;
  const said = await compareWithBank(context, charge, undefined);
  if (said === 'surplus') await reportDiscrepancy(context, charge, undefined, said);
  return said !== 'silent';
}
