import { z } from 'zod';
import type { NotFoundOutcome } from '../rail-call.ts';
import { aboutAnother, isAbout, pendingOrUndecided, REASON_LENGTH_MAX, snapAmount, unknownBy, unreadable } from '../snap-call.ts';
import type { SnapAnswer } from '../snap-client.ts';
import { treatSend } from '../treatment.ts';
import {
  CANCEL_CASES,
  DECODE_CASES,
  MERCHANT_LIMIT_CASES,
  MERCHANT_UNKNOWN_CASES,
  PAYMENT_CASES,
  QUERY_CASES,
  QUERY_STATUSES,
  REFUND_CASES,
} from './cases.ts';
import type {
  QrisCancellation,
  QrisDecoding,
  QrisPaymentRequest,
  QrisPaymentResult,
  QrisRefundRequest,
  QrisRefundResult,
  QrisReturned,
  QrisScan,
} from './qris-payment.ts';

const rrn = z.object({ rrn: z.string().min(1).max(64).optional() }).optional();
const decoded = z.object({ partnerReferenceNo: z.string().optional(), transactionAmount: snapAmount.optional() });
const paid = z.object({
  referenceNo: z.string().min(1).max(64),
  partnerReferenceNo: z.string().optional(),
  amount: snapAmount.optional(),
  additionalInfo: rrn,
});
const state = z.object({
  latestTransactionStatus: z.string(),
  transactionStatusDesc: z.string().optional(),
  originalReferenceNo: z.string().max(64).optional(),
  originalPartnerReferenceNo: z.string().optional(),
  originalResponseCode: z
    .string()
    .regex(/^\d{7}$/)
    .optional(),
  amount: snapAmount.optional(),
  additionalInfo: rrn,
});

const canceled = z.object({ originalPartnerReferenceNo: z.string().optional(), amount: snapAmount.optional() });
const refunded = z.object({
  refundNo: z.string().min(1).max(64),
  partnerRefundNo: z.string().optional(),
  originalPartnerReferenceNo: z.string().optional(),
  refundAmount: snapAmount.optional(),
});

/** Service 48. */
export function readDecoding(answer: SnapAnswer, scan: QrisScan): QrisDecoding {
  const treatment = DECODE_CASES[caseOf(answer)];
  if (treatment === undefined) return unknownBy(answer);
  if (treatment !== 'found') {
    return { outcome: 'refused', problem: treatment, code: answer.responseCode, reason: words(answer.message) };
  }
  const found = decoded.safeParse(answer.body);
  if (!found.success) return unreadable();
  const { partnerReferenceNo, transactionAmount } = found.data;
  const isOther = transactionAmount !== undefined && scan.amountSen !== undefined && transactionAmount !== scan.amountSen;
  if (isOther || (partnerReferenceNo !== undefined && partnerReferenceNo !== scan.partnerReference)) return aboutAnother();
  return { outcome: 'found' };
}

/** Service 50. */
export function readPayment(answer: SnapAnswer, request: QrisPaymentRequest, sent: { first: boolean }): QrisPaymentResult {
  const treatment = treatSend(answer, PAYMENT_CASES, { firstSend: sent.first });
  switch (treatment) {
    case 'success': {
      const done = paid.safeParse(answer.body);
      if (!done.success) return unreadable();
      const { referenceNo, partnerReferenceNo, amount, additionalInfo } = done.data;
      if (!isAbout(request, partnerReferenceNo, amount)) return aboutAnother();
      return { outcome: 'succeeded', railReference: referenceNo, rrn: additionalInfo?.rrn ?? referenceNo };
    }
    case 'failure':
      return failed(answer.responseCode, answer.message);
    case 'inquire':
    case 'operator':
      return pendingOrUndecided(answer, treatment);
    default:
      return treatment satisfies never;
  }
}

/** Service 51. */
export function readPaymentState(
  answer: SnapAnswer,
  request: QrisPaymentRequest,
): QrisPaymentResult | QrisReturned | NotFoundOutcome {
  const treatment = QUERY_CASES[caseOf(answer)];
  if (treatment === 'not_found') return { outcome: 'not_found' };
  if (treatment === undefined) return unknownBy(answer);
  const found = state.safeParse(answer.body);
  if (!found.success) return unreadable();
  const { latestTransactionStatus, transactionStatusDesc, originalReferenceNo = '', additionalInfo } = found.data;
  const status = QUERY_STATUSES[latestTransactionStatus];
  if (status === 'not_found') return { outcome: 'not_found' };
  if (!isAbout(request, found.data.originalPartnerReferenceNo, found.data.amount)) return aboutAnother();
  switch (status) {
    case 'succeeded':
      if (originalReferenceNo === '') return unreadable();
      return { outcome: 'succeeded', railReference: originalReferenceNo, rrn: additionalInfo?.rrn ?? originalReferenceNo };
    case 'pending':
    case 'canceled':
      return { outcome: status };
    case 'returned':
      return { outcome: 'returned', railReference: originalReferenceNo, reason: words(transactionStatusDesc ?? 'Refunded') };
    case 'failed': {
      const code = found.data.originalResponseCode ?? `${answer.responseCode}/${latestTransactionStatus}`;
      return failed(code, transactionStatusDesc ?? 'Failed at the acquirer');
    }
    case undefined:
      return { outcome: 'unknown', reason: `the acquirer's status of the payment is ${latestTransactionStatus.slice(0, 10)}` };
    default:
      return status satisfies never;
  }
}

/** Service 77. */
export function readCancellation(answer: SnapAnswer, request: QrisPaymentRequest): QrisCancellation {
  const treatment = CANCEL_CASES[caseOf(answer)];
  if (treatment === 'not_found') return { outcome: 'not_found' };
  if (treatment === undefined) return unknownBy(answer);
  const done = canceled.safeParse(answer.body);
  if (!done.success) return unreadable();
  return isAbout(request, done.data.originalPartnerReferenceNo, done.data.amount) ? { outcome: 'canceled' } : aboutAnother();
}

/** Service 78. */
export function readRefund(answer: SnapAnswer, request: QrisRefundRequest, sent: { first: boolean }): QrisRefundResult {
  const treatment = treatSend(answer, REFUND_CASES, { firstSend: sent.first });
  switch (treatment) {
    case 'success': {
      const done = refunded.safeParse(answer.body);
      if (!done.success) return unreadable();
      const { partnerRefundNo = request.refundReference, originalPartnerReferenceNo, refundAmount } = done.data;
      const isThis = partnerRefundNo === request.refundReference;
      return isThis && isAbout(request.payment, originalPartnerReferenceNo, refundAmount)
        ? { outcome: 'refunded' }
        : aboutAnother();
    }
    case 'failure':
      return { outcome: 'refused', code: answer.responseCode, reason: words(answer.message) };
    case 'inquire':
    case 'operator':
      return pendingOrUndecided(answer, treatment);
    default:
      return treatment satisfies never;
  }
}

function failed(code: string, message: string): QrisPaymentResult {
  const name = `${code.slice(0, 3)}/${code.slice(5, 7)}`;
  const cause = MERCHANT_UNKNOWN_CASES.has(name)
    ? 'merchant_unknown'
    : MERCHANT_LIMIT_CASES.has(name)
      ? 'merchant_limit'
      : 'other';
  return { outcome: 'failed', code, reason: words(message), cause };
}

function caseOf({ httpStatus, caseCode }: SnapAnswer): string {
  return `${httpStatus}/${caseCode}`;
}

function words(text: string): string {
  return text.slice(0, REASON_LENGTH_MAX);
}
