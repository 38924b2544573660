import { RefusalError } from '@gerbang/core';
import type { Context } from '../context.ts';
import { onPaymentDue } from './advance.ts';
import { changePayment } from './change.ts';
import type { StoredPayment } from './document.ts';
import { untold } from './link-standing.ts';
import { lookAgain } from './report.ts';
import { nextDueMs } from './schedule.ts';

/**
 * Takes a payment up whose timer has fired: it goes on, or money-in is told of it. Any other one is at rest and watched: operators
 * have said how it stands at the acquirer, which is asked now and then whether it is so. Runs at least once.
 */
export async function onDue(context: Context, payment: StoredPayment): Promise<void> {
  if (nextDueMs(payment.state, context.clock.now()) !== undefined || untold(payment) !== undefined)
    return onPaymentDue(context, payment);
  const after = await lookAgain(context, payment).catch((error: unknown) => {
    if (error instanceof RefusalError && error.refusal.refused === 'unavailable') return payment;
    throw error;
  });
  await changePayment(context, after, { type: 'watch' });
}
