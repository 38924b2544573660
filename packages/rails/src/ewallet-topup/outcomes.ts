import { z } from 'zod';
import type { FailedOutcome } from '../rail-call.ts';
import { aboutAnother, isAbout, pendingOrUndecided, REASON_LENGTH_MAX, snapAmount, undecided, unreadable } from '../snap-call.ts';
import type { SnapAnswer } from '../snap-client.ts';
import { codeOf, treat, treatLatestStatus, treatSend } from '../treatment.ts';
import { EWALLET_TOPUP_PROFILES, type EwalletTopupChannel } from './channels.ts';
import type { EwalletTopupInquiryResult, EwalletTopupRequest, EwalletTopupResult, WalletInquiryResult } from './port.ts';
import { TOPUP_CASES, TOPUP_STATUS_CASES, WALLET_INQUIRY_CASES } from './treatment.ts';

/** What the wallets' answers mean; which of them are final is a table in treatment.ts. */

const NOT_FOUND = '40401';
const walletFound = z.object({ customerName: z.string().trim().min(1).max(255) });
const toppedUp = z.object({
  referenceNo: z.string().min(1).max(64),
  partnerReferenceNo: z.string().optional(),
  amount: snapAmount.optional(),
});
const statusFound = z.object({
  latestTransactionStatus: z.string(),
  transactionStatusDesc: z.string().optional(),
  originalReferenceNo: z.string().max(64).optional(),
  originalPartnerReferenceNo: z.string().optional(),
  amount: snapAmount.optional(),
});
const explained = z.object({ additionalInfo: z.object({ resultMsg: z.string() }) });

/** Service 37. */
export function readWallet(answer: SnapAnswer, channel: EwalletTopupChannel): WalletInquiryResult {
  const code = codeOf(answer);
  const treatment = treat(answer, WALLET_INQUIRY_CASES);
  const { namePrefix, limitCases } = EWALLET_TOPUP_PROFILES[channel];
  switch (treatment) {
    case 'success': {
      const found = walletFound.safeParse(answer.body);
      return found.success ? { outcome: 'found', name: withoutPrefix(found.data.customerName, namePrefix) } : unreadable();
    }
    case 'failure':
      return { outcome: limitCases.includes(code) ? 'over_limit' : 'not_found' };
    case 'inquire':
    case 'operator':
      return undecided(answer, treatment);
    default:
      return treatment satisfies never;
  }
}

/** Service 38. */
export function readTopup(
  answer: SnapAnswer,
  request: EwalletTopupRequest,
  { firstSend }: { firstSend: boolean },
): EwalletTopupResult {
  const treatment = treatSend(answer, TOPUP_CASES, { firstSend });
  switch (treatment) {
    case 'success': {
      const done = toppedUp.safeParse(answer.body);
      if (!done.success) return unreadable();
      const { referenceNo, partnerReferenceNo, amount } = done.data;
      return isAbout(request, partnerReferenceNo, amount) ? { outcome: 'succeeded', railReference: referenceNo } : aboutAnother();
    }
    case 'failure':
      return failureOf(answer, request.channel);
    case 'inquire':
    case 'operator':
      return pendingOrUndecided(answer, treatment);
    default:
      return treatment satisfies never;
  }
}

/** Service 39. What the wallet names of another top-up is for operators: asking again will not change it. */
export function readTopupStatus(answer: SnapAnswer, request: EwalletTopupRequest): EwalletTopupInquiryResult {
  if (codeOf(answer) === NOT_FOUND) return { outcome: 'not_found' };
  const treatment = treat(answer, TOPUP_STATUS_CASES);
  if (treatment !== 'success') return undecided(answer, treatment);
  const found = statusFound.safeParse(answer.body);
  if (!found.success) return unreadable();
  const { latestTransactionStatus: status, originalPartnerReferenceNo, amount } = found.data;
  if (status === '07') return { outcome: 'not_found' };
  if (!isAbout(request, originalPartnerReferenceNo, amount)) return { ...aboutAnother(), needsOperator: true };
  return readLatestStatus(answer, found.data);
}

function readLatestStatus(
  answer: SnapAnswer,
  { latestTransactionStatus: status, originalReferenceNo = '', transactionStatusDesc }: z.output<typeof statusFound>,
): EwalletTopupInquiryResult {
  const treatment = treatLatestStatus(status);
  switch (treatment) {
    case 'success':
      return originalReferenceNo === '' ? unreadable() : { outcome: 'succeeded', railReference: originalReferenceNo };
    case 'failure': {
      const reason = (transactionStatusDesc ?? 'The wallet has refused the top-up').slice(0, REASON_LENGTH_MAX);
      if (status === '04') return { outcome: 'returned', railReference: originalReferenceNo, reason };
      return { outcome: 'failed', code: `${answer.responseCode}/${status}`, reason, cause: 'other' };
    }
    case 'inquire':
      return { outcome: 'pending' };
    case 'operator':
      return { outcome: 'unknown', reason: `the wallet's status is ${status.slice(0, 10)}`, needsOperator: true };
    default:
      return treatment satisfies never;
  }
}

function failureOf(answer: SnapAnswer, channel: EwalletTopupChannel): FailedOutcome {
  const reason = answer.message.slice(0, REASON_LENGTH_MAX);
  return { outcome: 'failed', code: answer.responseCode, reason, cause: causeOf(answer, channel) };
}

function causeOf(answer: SnapAnswer, channel: EwalletTopupChannel): FailedOutcome['cause'] {
  const { unknownCases, unknownMessages, limitCases } = EWALLET_TOPUP_PROFILES[channel];
  const code = codeOf(answer);
  if (limitCases.includes(code)) return 'recipient_limit';
  const said = explained.safeParse(answer.body);
  const isUnknown = unknownCases.includes(code) || (said.success && unknownMessages.includes(said.data.additionalInfo.resultMsg));
  return isUnknown ? 'recipient_unknown' : 'other';
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) && name.length > prefix.length ? name.slice(prefix.length) : name;
}
