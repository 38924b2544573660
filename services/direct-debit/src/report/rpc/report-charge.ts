import { RefusalError, refuse } from '@gerbang/core';
import type { ReportChargeRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { Intent, Side } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { callWithin } from '@gerbang/rails';
import { isUuid } from '../../binding/own.ts';
import { contradicts } from '../../charge/charge.ts';
import type { StoredCharge } from '../../charge/document.ts';
import { workOn } from '../../charge/place.ts';
import { readChargeRequest } from '../../charge/request.ts';
import { type Context, DIRECT_DEBIT } from '../../context.ts';

/**
 * A bank reports that the outcome of a charge is known. It is only a hint: the bank is asked before anything is believed. Refusals:
 * transaction_not_found, unavailable.
 */
export async function reportCharge(context: Context, { partnerReference }: ReportChargeRequest) {
  const found = isUuid(partnerReference) ? await context.charges.find(partnerReference) : undefined;
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  if (contradicts(found.state)) await checkContradiction(context, found);
  else if (found.state.status === 'sending' && !context.inProgress.has(partnerReference)) await workOn(context, found);
  return {};
}

/**
 * A charge that has failed here may have been taken by the bank all the same. Its money waits in suspense, once, and an operator
 * gives it back: the merchant was told that the charge had failed.
 */
async function checkContradiction(context: Context, { order, state }: StoredCharge): Promise<void> {
  const request = readChargeRequest(order, state);
  const said = await callWithin(context.railTimeoutMs, (signal) => context.rail.inquireCharge(request, { signal }));
  if (said.outcome === 'unknown') throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }), new Error(said.reason));
  if (said.outcome !== 'succeeded') return;
  await context.ledger.post({
    merchantId: order.merchantId,
    partition: order.partition,
    accountId: order.accountId,
    intent: Intent.CREDIT,
    side: Side.SUSPENSE,
    postingKey: `${order.id}:suspense`,
    amountSen: order.amountSen,
    feeSen: 0n,
    rail: DIRECT_DEBIT,
    product: DIRECT_DEBIT,
    transactionId: order.id,
    referenceNumber: order.referenceNumber,
    description: '',
  });
  context.metrics.contradicted();
  context.log.error(
    { alert: 'rail_contradiction', transaction_id: order.id, merchant_id: order.merchantId, rail: DIRECT_DEBIT },
    'the bank has taken a charge that has failed here; its money is in suspense, and an operator decides',
  );
}
