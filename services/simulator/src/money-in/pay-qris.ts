import { decodeQris, isRefusal, tipSen } from '@gerbang/core';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { read, readJson } from '../control/json.ts';
import type { Handler } from '../handler.ts';
import type { PaymentRequest } from '../payment-request/payment-request.ts';
import { forcedOf, type PayAnswer } from './forced.ts';
import { bookAndTell } from './notifier.ts';
import { paidAmount } from './pay-number.ts';
import { receiptOf } from './request-receipt.ts';

const body = z.object({ qr_data: z.string().min(1).max(1_024), amount: paidAmount.optional(), tip: paidAmount.optional() });

/**
 * POST /sandbox/qris/pay `{qr_data, amount?, tip?}` → `{accepted, reason?}`: a customer scans and pays (contract §11). The
 * acquirer holds the code, so it decides, and its notification tells what has been paid.
 */
export const payQris: Handler = async (context, request) => {
  const { qr_data: payload, amount, tip } = read(body, readJson(request));
  const decoded = decodeQris(payload);
  if (isRefusal(decoded)) return refused(`No QRIS code: ${decoded.message}`);
  const code = await context.paymentRequests.findByPayload(payload);
  if (code === undefined) return refused('The acquirer does not know this code');
  const forced = await forcedOf(context, 'qris');
  if ('refused' in forced) return forced.refused;
  const problem = whyNot(context, code, amount, tip);
  if (problem !== undefined) return refused(problem);

  const tipped = tipSen(code.tip, code.amountSen ?? 0n, tip);
  const receipt = receiptOf(code, { status: 'success', paidAtMs: context.clock.now(), tipSen: tipped });
  const booked = await bookAndTell(context, receipt, forced.tellAfterMs);
  if (booked.outcome === 'taken') return refused('The code has been paid or withdrawn');
  return { accepted: true };
};

function whyNot(
  { clock }: Context,
  code: PaymentRequest,
  amountSen: bigint | undefined,
  offeredTipSen: bigint | undefined,
): string | undefined {
  if (code.expiresAtMs !== undefined && clock.now() >= code.expiresAtMs) return 'The code has expired';
  if (amountSen !== undefined && amountSen !== code.amountSen) return 'The code says another amount';
  if (offeredTipSen !== undefined && code.tip?.indicator !== 'input') return 'The code lets the customer choose no tip';
  return undefined;
}

function refused(reason: string): PayAnswer {
  return { accepted: false, reason };
}
