import { z } from 'zod';
import type { Context } from '../context.ts';
import { read, readJson } from '../control/json.ts';
import type { Handler } from '../handler.ts';
import type { PaymentRequest } from '../payment-request/payment-request.ts';
import { forcedOf, type PayAnswer } from './forced.ts';
import { bookAndTell } from './notifier.ts';
import { receiptOf } from './request-receipt.ts';

const params = z.object({ transaction_id: z.string().min(1).max(64) });
const body = z.object({ outcome: z.enum(['success', 'failed']) });

/**
 * POST /sandbox/ewallet/{transaction_id}/confirm `{outcome}` → `{accepted, reason?}`: the customer confirms or declines in the
 * app (contract §11).
 */
export const confirmEwallet: Handler = async (context, request) => {
  const { outcome } = read(body, readJson(request));
  const { transaction_id: reference } = read(params, request.params);
  const payment = await context.paymentRequests.find('ewallet', reference);
  if (payment === undefined) return { accepted: false, reason: 'The wallet does not know this payment' };
  return confirmPayment(context, payment, outcome);
};

/** What the customer decides counts once. */
export async function confirmPayment(
  context: Context,
  payment: PaymentRequest,
  outcome: 'success' | 'failed',
): Promise<PayAnswer> {
  const forced = await forcedOf(context, 'ewallet');
  if ('refused' in forced) return forced.refused;
  if (payment.expiresAtMs !== undefined && context.clock.now() >= payment.expiresAtMs) {
    return { accepted: false, reason: 'The payment has expired' };
  }
  const reason = outcome === 'failed' ? 'Declined by the customer' : '';
  const receipt = receiptOf(payment, { status: outcome, paidAtMs: context.clock.now(), reason });
  const booked = await bookAndTell(context, receipt, forced.tellAfterMs);
  if (booked.outcome === 'taken') return { accepted: false, reason: 'The payment is over' };
  return { accepted: true };
}
