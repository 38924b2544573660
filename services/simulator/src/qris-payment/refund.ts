import { jakartaIso, toMoney } from '@gerbang/core';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { giveBack } from '../money-in/give-back.ts';
import {
  DO_NOT_HONOR,
  done,
  partnerReference,
  snapAmountSen,
  TRANSACTION_NOT_FOUND,
  takeExternalId,
} from '../money-in/snap-fields.ts';
import type { SnapAnswer } from '../snap/snap.ts';
import { transaction } from '../snap/transaction.ts';
import type { QrisEntry } from './books.ts';

export const QR_REFUND = '78';

const schema = z.object({
  originalPartnerReferenceNo: partnerReference,
  partnerRefundNo: partnerReference,
  refundAmount: snapAmountSen.optional(),
  merchantId: z.string().min(1).max(64),
});

const INVALID_STATUS: SnapAnswer = { http: 404, caseCode: '00', message: 'Invalid Transaction Status' };
const CRITERIA_NOT_MET: SnapAnswer = { http: 403, caseCode: '15', message: 'Transaction Not Permitted. {partial refund}' };
const ABOVE_REMAINDER: SnapAnswer = { http: 404, caseCode: '13', message: 'Invalid Amount' };

/**
 * POST /v1.0/qr/qr-mpm-refund: the money of a payment that was made goes back to its payer, all of it (SNAP 78). The same refund
 * again is answered as before; another one is above what is left.
 */
export const qrRefund = transaction(
  QR_REFUND,
  schema,
  () => 'qris',
  async (context, { body, externalKey, forced }) => {
    takeExternalId(context, externalKey);
    if (forced === 'failed') return DO_NOT_HONOR;
    const entry = await context.qrisBooks.find(body.originalPartnerReferenceNo);
    if (entry === undefined) return TRANSACTION_NOT_FOUND;
    const problem = whyNot(entry, body.refundAmount ?? entry.amountSen, body.partnerRefundNo);
    if (problem !== undefined) return problem;
    const after = await refund(context, entry, body.partnerRefundNo);
    if (after?.refundReference !== body.partnerRefundNo) return ABOVE_REMAINDER;
    if (forced === 'timeout') return 'silence';
    return done({
      originalPartnerReferenceNo: entry.partnerReference,
      originalReferenceNo: entry.referenceNo,
      refundNo: `${entry.referenceNo}-R`,
      partnerRefundNo: body.partnerRefundNo,
      refundAmount: toMoney(entry.amountSen),
      refundTime: jakartaIso(context.clock.now()),
    });
  },
);

function whyNot(entry: QrisEntry, amountSen: bigint, refundReference: string): SnapAnswer | undefined {
  if (amountSen > entry.amountSen) return ABOVE_REMAINDER;
  if (amountSen < entry.amountSen) return CRITERIA_NOT_MET;
  if (entry.status === 'reversed') return entry.refundReference === refundReference ? undefined : ABOVE_REMAINDER;
  return entry.status === 'success' ? undefined : INVALID_STATUS;
}

/** The payer's side first: what dies in between is asked for again, and takes the money from the code's merchant then. */
async function refund(context: Context, entry: QrisEntry, refundReference: string): Promise<QrisEntry | undefined> {
  const after = await context.qrisBooks.reverse(entry.partnerReference, refundReference);
  const code = await context.paymentRequests.findByPayload(entry.payload);
  if (code !== undefined && after?.refundReference === refundReference) await giveBack(context, code);
  return after;
}
