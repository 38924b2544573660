import { RefusalError, refuse } from '@gerbang/core';
import type { ReportUnboundRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { isUuid } from '../../binding/own.ts';
import { checkBinding } from '../../binding/refresh.ts';
import type { Context } from '../../context.ts';

/**
 * A bank reports that a customer has ended a binding there. It is only a hint: the bank is asked whether it still knows the
 * binding. Refusals: transaction_not_found, unavailable.
 */
export async function reportUnbound(context: Context, { partnerReference }: ReportUnboundRequest) {
  const found = isUuid(partnerReference) ? await context.bindings.find(partnerReference) : undefined;
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  if ((await checkBinding(context, found, 'bank')) === 'unknown')
    throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }));
  return {};
}
