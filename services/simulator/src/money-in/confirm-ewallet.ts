import { z } from 'zod';
import { read, readJson } from '../control/json.ts';
import type { Handler } from '../handler.ts';
import { forcedOf } from './forced.ts';
import { tellNow } from './notifier.ts';

const params = z.object({ transaction_id: z.string().min(1).max(64) });
const body = z.object({ outcome: z.enum(['success', 'failed']) });

/** POST /sandbox/ewallet/{transaction_id}/confirm `{outcome}` → `{accepted, reason?}`: the customer confirms or declines in the app (contract §11). */
export const confirmEwallet: Handler = async (context, request) => {
  const { outcome } = read(body, readJson(request));
  const { transaction_id: reference } = read(params, request.params);
  const payment = await context.payables.find('ewallet', reference);
  if (payment === undefined) return { accepted: false, reason: 'The wallet does not know this payment' };
  const forced = await forcedOf(context, 'ewallet');
  if ('refused' in forced) return forced.refused;
  if (payment.expiresAtMs !== undefined && context.clock.now() >= payment.expiresAtMs) {
    return { accepted: false, reason: 'The payment has expired' };
  }
  const receipt = {
    rail: 'ewallet' as const,
    railReference: payment.referenceNo,
    payableReference: reference,
    number: '',
    amountSen: payment.amountSen ?? 0n,
    tipSen: 0n,
    paidAtMs: context.clock.now(),
    status: outcome,
    reason: outcome === 'failed' ? 'Declined by the customer' : '',
  };
  const isFirst = await context.receipts.add(receipt, Date.now() + forced.tellAfterMs);
  if (!isFirst) return { accepted: false, reason: 'The payment is over' };
  if (forced.tellAfterMs === 0) await tellNow(context, { ...receipt, attempts: 0, isDue: true, refundedSen: 0n });
  return { accepted: true };
};
