import { z } from 'zod';
import type { NotFoundOutcome, RefusedOutcome, UnknownOutcome } from '../rail-call.ts';
import { aboutAnother, REASON_LENGTH_MAX, snapAmount, unknownBy, unreadable } from '../snap-call.ts';
import type { SnapAnswer } from '../snap-client.ts';
import {
  CHARGE_CASES,
  CHARGE_STATUSES,
  REFUND_CASES,
  REFUND_STATUSES,
  SEND_OTP_CASES,
  STATUS_CASES,
  VERIFY_OTP_CASES,
} from './cases.ts';
import type {
  ChargeRequest,
  ChargeResult,
  ChargeState,
  RefundRequest,
  RefundResult,
  SendOtpResult,
  VerifyOtpResult,
} from './port.ts';

const text = z.string().optional();
const otpSent = z.object({ chargeToken: z.string().min(1).max(2_048) });
const refundEntry = z.object({
  partnerRefundNo: z.string(),
  refundNo: text,
  refundAmount: snapAmount.optional(),
  refundStatus: z.string(),
  reason: text,
});
const status = z.object({
  latestTransactionStatus: z.string(),
  transactionStatusDesc: text,
  originalReferenceNo: z.string().max(64).optional(),
  originalPartnerReferenceNo: text,
  originalResponseCode: z
    .string()
    .regex(/^\d{7}$/)
    .optional(),
  transAmount: snapAmount.optional(),
  paidTime: text,
  refundHistory: z.array(refundEntry).optional(),
  additionalInfo: z.object({ isTimeout: text, chargeToken: text }).optional(),
});
const refunded = z.object({
  refundNo: z.string().min(1).max(64),
  partnerRefundNo: text,
  refundAmount: snapAmount.optional(),
});

/** Service 81. With the token the OTP may be out also where the bank says that it has timed out. */
export function readSentOtp(answer: SnapAnswer): SendOtpResult {
  const sent = otpSent.safeParse(answer.body);
  const isTimeout = answer.httpStatus === 504 && sent.success;
  const treatment = isTimeout ? 'sent' : SEND_OTP_CASES[caseOf(answer)];
  switch (treatment) {
    case 'sent':
      return sent.success ? { outcome: 'sent', chargeToken: sent.data.chargeToken } : unreadable();
    case 'blocked':
      return { ...refused(answer), outcome: 'blocked' };
    case 'failed':
      return refused(answer);
    case undefined:
      return unknownBy(answer);
    default:
      return treatment satisfies never;
  }
}

/** Service 04. */
export function readVerifiedOtp(answer: SnapAnswer): VerifyOtpResult {
  const treatment = VERIFY_OTP_CASES[caseOf(answer)];
  switch (treatment) {
    case 'accepted':
    case 'wrong':
    case 'expired':
      return { outcome: treatment };
    case 'blocked':
      return { ...refused(answer), outcome: 'blocked' };
    case 'failed':
      return refused(answer);
    case undefined:
      return unknownBy(answer);
    default:
      return treatment satisfies never;
  }
}

/** Service 54. */
export function readCharge(answer: SnapAnswer, { first }: { first: boolean }): ChargeResult {
  const treatment = CHARGE_CASES[caseOf(answer)] ?? 'ask';
  // After an unanswered send of the reference, a refusal says nothing of that one (snap-services.md §10).
  const isOfThisSend = first || answer.httpStatus < 400;
  if (!isOfThisSend) return unknownBy(answer);
  switch (treatment) {
    case 'accepted':
    case 'pending':
    case 'otp':
      return { outcome: treatment };
    case 'unauthorized':
      return { ...refused(answer), outcome: 'unauthorized' };
    case 'failed':
      return refused(answer);
    case 'ask':
      return unknownBy(answer);
    default:
      return treatment satisfies never;
  }
}

/** Service 55. */
export function readChargeState(answer: SnapAnswer, request: ChargeRequest): ChargeState {
  const found = readStatus(answer, request.partnerReference);
  if ('outcome' in found) return found;
  const { latestTransactionStatus, transactionStatusDesc, originalReferenceNo = '', transAmount, additionalInfo } = found;
  if (transAmount !== undefined && transAmount !== BigInt(request.amountSen)) return aboutAnother();
  const treatment = CHARGE_STATUSES[latestTransactionStatus];
  switch (treatment) {
    case 'succeeded':
      if (originalReferenceNo === '') return unreadable();
      return { outcome: 'succeeded', railReference: originalReferenceNo, paidAtMs: momentOf(found.paidTime) };
    case 'pending':
      return { outcome: 'pending' };
    case 'failed': {
      // BCA: a failure that timed out, or that still has an OTP to come, is none yet.
      if (additionalInfo?.isTimeout === 'Y' || additionalInfo?.chargeToken !== undefined) return { outcome: 'pending' };
      const code = found.originalResponseCode ?? `${answer.responseCode}/${latestTransactionStatus}`;
      return { outcome: 'failed', code, reason: words(transactionStatusDesc ?? 'Failed at the bank') };
    }
    case 'not_found':
      return { outcome: 'not_found' };
    case undefined:
      return { outcome: 'unknown', reason: `the bank's status of the charge is ${latestTransactionStatus.slice(0, 10)}` };
    default:
      return treatment satisfies never;
  }
}

/** Service 58. */
export function readRefund(answer: SnapAnswer, request: RefundRequest, { first }: { first: boolean }): RefundResult {
  const treatment = REFUND_CASES[caseOf(answer)] ?? 'ask';
  switch (treatment) {
    case 'succeeded': {
      const done = refunded.safeParse(answer.body);
      if (!done.success) return unreadable();
      const { refundNo, partnerRefundNo = request.refundReference, refundAmount = BigInt(request.amountSen) } = done.data;
      if (partnerRefundNo !== request.refundReference || refundAmount !== BigInt(request.amountSen)) return aboutAnother();
      return { outcome: 'succeeded', railReference: refundNo };
    }
    case 'pending':
      return { outcome: 'pending' };
    case 'failed':
      return first ? refused(answer) : unknownBy(answer);
    case 'ask':
      return unknownBy(answer);
    default:
      return treatment satisfies never;
  }
}

/** Service 55, of a refund: its entry in the history of the charge. */
export function readRefundState(answer: SnapAnswer, request: RefundRequest): RefundResult | NotFoundOutcome {
  const found = readStatus(answer, request.originalReference);
  if ('outcome' in found) return found;
  const entry = found.refundHistory?.find(({ partnerRefundNo }) => partnerRefundNo === request.refundReference);
  if (entry === undefined) return { outcome: 'not_found' };
  if (entry.refundAmount !== undefined && entry.refundAmount !== BigInt(request.amountSen)) return aboutAnother();
  const treatment = REFUND_STATUSES[entry.refundStatus];
  switch (treatment) {
    case 'succeeded':
      return { outcome: 'succeeded', railReference: entry.refundNo ?? '' };
    case 'pending':
      return { outcome: 'pending' };
    case 'failed':
      return { outcome: 'failed', code: answer.responseCode, reason: words(entry.reason ?? 'Failed at the bank') };
    case undefined:
      return { outcome: 'unknown', reason: `the bank's status of the refund is ${entry.refundStatus.slice(0, 10)}` };
    default:
      return treatment satisfies never;
  }
}

/** An explicit no, in the bank's words. */
export function refused({ responseCode, message }: SnapAnswer): RefusedOutcome {
  return { outcome: 'failed', code: responseCode, reason: words(message) };
}

export function caseOf({ httpStatus, caseCode }: SnapAnswer): string {
  return `${httpStatus}/${caseCode}`;
}

function readStatus(answer: SnapAnswer, reference: string): z.output<typeof status> | NotFoundOutcome | UnknownOutcome {
  const treatment = STATUS_CASES[caseOf(answer)];
  if (treatment === 'not_found') return { outcome: 'not_found' };
  if (treatment === undefined) return unknownBy(answer);
  const found = status.safeParse(answer.body);
  if (!found.success) return unreadable();
  const { originalPartnerReferenceNo = reference } = found.data;
  return originalPartnerReferenceNo === reference ? found.data : aboutAnother();
}

function momentOf(time: string | undefined): number | undefined {
  const ms = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
}

function words(said: string): string {
  return said.slice(0, REASON_LENGTH_MAX);
}
