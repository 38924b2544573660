import { z } from 'zod';
import type { FailedOutcome, UnknownOutcome } from '../rail-call.ts';
import { aboutAnother, isAbout, pendingOrUndecided, REASON_LENGTH_MAX, snapAmount, undecided, unreadable } from '../snap-call.ts';
import type { SnapAnswer } from '../snap-client.ts';
import { codeOf, treat, treatLatestStatus, treatSend } from '../treatment.ts';
import type { AccountInquiryResult, BankTransferInquiryResult, BankTransferRequest, BankTransferResult } from './port.ts';
import { ACCOUNT_INQUIRY_CASES, LIMIT_CASES, TRANSFER_CASES, TRANSFER_STATUS_CASES, UNKNOWN_CASES } from './treatment.ts';

/** What the bank's answers mean for the money; which of them are final is a table in treatment.ts. */

const NOT_FOUND = '40401';
const REFERENCE_USED = '40901';

const transferDone = z.object({
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
  previousResponseCode: z.string().max(7).optional(),
});
const accountFound = z.object({ beneficiaryAccountName: z.string().min(1).max(255) });

/** Services 15 and 16. */
export function readAccount(answer: SnapAnswer): AccountInquiryResult {
  const treatment = treat(answer, ACCOUNT_INQUIRY_CASES);
  switch (treatment) {
    case 'success': {
      const found = accountFound.safeParse(answer.body);
      return found.success ? { outcome: 'found', accountName: found.data.beneficiaryAccountName } : unreadable();
    }
    case 'failure':
      return { outcome: 'not_found' };
    case 'inquire':
    case 'operator':
      return undecided(answer, treatment);
    default:
      return treatment satisfies never;
  }
}

/**
 * Service 15 right before a transfer (17) under the same reference; undefined where the transfer may go on: the account was found,
 * or an earlier send has used the reference. A refusal is final for the first send: no transfer has followed it.
 */
export function readPrecedingInquiry(
  answer: SnapAnswer,
  { firstSend }: { firstSend: boolean },
): FailedOutcome | UnknownOutcome | undefined {
  const treatment = treatSend(answer, ACCOUNT_INQUIRY_CASES, { firstSend });
  if (treatment === 'success' || codeOf(answer) === REFERENCE_USED) return undefined;
  return treatment === 'failure' ? failed(answer.responseCode, answer.message) : undecided(answer, treatment);
}

/** Services 17 and 18. */
export function readTransfer(
  answer: SnapAnswer,
  request: BankTransferRequest,
  { firstSend }: { firstSend: boolean },
): BankTransferResult {
  const treatment = treatSend(answer, TRANSFER_CASES, { firstSend });
  switch (treatment) {
    case 'success': {
      const done = transferDone.safeParse(answer.body);
      if (!done.success) return unreadable();
      const { referenceNo, partnerReferenceNo, amount } = done.data;
      return isAbout(request, partnerReferenceNo, amount) ? { outcome: 'succeeded', railReference: referenceNo } : aboutAnother();
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

/** Service 36. What the bank says of another transfer is for operators: asking again will not change it. */
export function readStatus(answer: SnapAnswer, request: BankTransferRequest): BankTransferInquiryResult {
  if (codeOf(answer) === NOT_FOUND) return { outcome: 'not_found' };
  const treatment = treat(answer, TRANSFER_STATUS_CASES);
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
  { latestTransactionStatus: status, originalReferenceNo = '', ...said }: z.output<typeof statusFound>,
): BankTransferInquiryResult {
  const treatment = treatLatestStatus(status);
  switch (treatment) {
    case 'success':
      return originalReferenceNo === '' ? unreadable() : { outcome: 'succeeded', railReference: originalReferenceNo };
    case 'failure': {
      const { transactionStatusDesc: reason, previousResponseCode = `${answer.responseCode}/${status}` } = said;
      if (status !== '04') return failed(previousResponseCode, reason ?? 'Failed at the bank');
      const returned = (reason ?? 'Returned by the bank').slice(0, REASON_LENGTH_MAX);
      return { outcome: 'returned', railReference: originalReferenceNo, reason: returned };
    }
    case 'inquire':
      return { outcome: 'pending' };
    case 'operator':
      return { outcome: 'unknown', reason: `the bank's status of the transfer is ${status.slice(0, 10)}`, needsOperator: true };
    default:
      return treatment satisfies never;
  }
}

function failed(code: string, message: string): FailedOutcome {
  return { outcome: 'failed', code, reason: message.slice(0, REASON_LENGTH_MAX), cause: causeOf(code) };
}

/** `code` is a responseCode, or what is made of a status, which says no cause. */
function causeOf(code: string): FailedOutcome['cause'] {
  const reason = `${code.slice(0, 3)}${code.slice(5)}`;
  if (UNKNOWN_CASES.has(reason)) return 'recipient_unknown';
  return LIMIT_CASES.has(reason) ? 'recipient_limit' : 'other';
}
