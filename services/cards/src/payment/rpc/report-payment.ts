import { RefusalError, refuse } from '@gerbang/core';
import type { ReportPaymentRequest } from '@gerbang/proto/gerbang/cards/v1/cards';
import type { Context } from '../../context.ts';
import { isPaymentId } from '../own.ts';
import { lookAgain } from '../report.ts';

/** An acquirer reports that something has changed. Refusals: transaction_not_found, unavailable. */
export async function reportPayment(context: Context, { reference }: ReportPaymentRequest) {
  const found = isPaymentId(reference) ? await context.payments.find(reference) : undefined;
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  await lookAgain(context, found);
  return {};
}
