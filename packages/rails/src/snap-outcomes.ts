import { parseAmount } from '@gerbang/core';
import { z } from 'zod';
import type {
  AccountInquiryResult,
  BankTransferInquiryResult,
  BankTransferRequest,
  BankTransferResult,
  FailedOutcome,
} from './bank-transfer.ts';
import type { UnknownOutcome } from './rail-call.ts';
import { unknownBy } from './snap-call.ts';
import type { SnapAnswer } from './snap-client.ts';

/**
 * What the bank's answers mean for the money. Only SNAP's own cases that say "this transfer is not done and will not be" are
 * failures; everything that is not listed here is unknown, and inquired.
 */

/**
 * 403: limits, funds and accounts. Not listed: what may be lifted while the request waits, such as 16 (suspended) and the OTP
 * cases.
 */
const REFUSED_CASES = new Set(['01', '02', '03', '04', '05', '06', '09', '14', '15', '18', '20', '23']);

/**
 * 404 beside 11 (beneficiary account): 02 and 03, no way to that bank; 13, the amount. 01, 16 and 18 tell nothing of this
 * transfer.
 */
const UNROUTABLE_CASES = new Set(['02', '03', '13']);

const UNKNOWN_BENEFICIARY_CASE = '11';
const REASON_LENGTH_MAX = 200;

const amount = z.object({ value: z.string(), currency: z.string() });
const transferDone = z.object({
  referenceNo: z.string().min(1).max(64),
  partnerReferenceNo: z.string().optional(),
  amount: amount.optional(),
});
const statusFound = z.object({
  latestTransactionStatus: z.string(),
  transactionStatusDesc: z.string().optional(),
  originalReferenceNo: z.string().max(64).optional(),
  originalPartnerReferenceNo: z.string().optional(),
  amount: amount.optional(),
  previousResponseCode: z.string().max(7).optional(),
});
const accountFound = z.object({ beneficiaryAccountName: z.string().min(1).max(255) });

/** Service 16. A name, or 4041611; every other answer says nothing about the account. */
export function readAccount(answer: SnapAnswer): AccountInquiryResult {
  if (answer.httpStatus === 404 && answer.caseCode === UNKNOWN_BENEFICIARY_CASE) return { outcome: 'not_found' };
  if (answer.httpStatus !== 200 || answer.caseCode !== '00') return unknownBy(answer);
  const found = accountFound.safeParse(answer.body);
  return found.success ? { outcome: 'found', accountName: found.data.beneficiaryAccountName } : unreadable();
}

/**
 * Service 18. 400 says that the bank could not read the request, so it has not taken it: final when it is the answer to the first
 * send, but after an earlier send it says nothing of that one. 409 says that the reference or external id was used before: by an
 * earlier send, whose outcome it does not tell. 401 (with a new token), 429 and 5xx tell nothing either.
 */
export function readTransfer(answer: SnapAnswer, request: BankTransferRequest, sent: { first: boolean }): BankTransferResult {
  switch (answer.httpStatus) {
    case 200: {
      if (answer.caseCode !== '00') return unknownBy(answer);
      const done = transferDone.safeParse(answer.body);
      if (!done.success) return unreadable();
      const { referenceNo, partnerReferenceNo } = done.data;
      if (!isAbout(request, partnerReferenceNo, done.data.amount)) return otherTransfer();
      return { outcome: 'succeeded', railReference: referenceNo };
    }
    case 202:
      return { outcome: 'pending' };
    case 400:
      return sent.first ? failed(answer.responseCode, answer.message) : unknownBy(answer);
    case 403:
      return REFUSED_CASES.has(answer.caseCode) ? failed(answer.responseCode, answer.message) : unknownBy(answer);
    case 404: {
      const final = answer.caseCode === UNKNOWN_BENEFICIARY_CASE || UNROUTABLE_CASES.has(answer.caseCode);
      return final ? failed(answer.responseCode, answer.message) : unknownBy(answer);
    }
    default:
      return unknownBy(answer);
  }
}

/** Service 36. 04 (refunded) is returned: money has left and come back. 07 and 4043601 are not found, which is not failed. */
export function readStatus(answer: SnapAnswer, request: BankTransferRequest): BankTransferInquiryResult {
  if (answer.httpStatus === 404 && answer.caseCode === '01') return { outcome: 'not_found' };
  if (answer.httpStatus !== 200 || answer.caseCode !== '00') return unknownBy(answer);
  const found = statusFound.safeParse(answer.body);
  if (!found.success) return unreadable();
  const { latestTransactionStatus: status, originalReferenceNo, transactionStatusDesc, previousResponseCode } = found.data;
  if (status === '07') return { outcome: 'not_found' };
  if (!isAbout(request, found.data.originalPartnerReferenceNo, found.data.amount)) return otherTransfer();
  switch (status) {
    case '00':
      if (originalReferenceNo === undefined || originalReferenceNo === '') return unreadable();
      return { outcome: 'succeeded', railReference: originalReferenceNo };
    case '01':
    case '02':
    case '03':
      return { outcome: 'pending' };
    case '04': {
      const reason = (transactionStatusDesc ?? 'Returned by the bank').slice(0, REASON_LENGTH_MAX);
      return { outcome: 'returned', railReference: originalReferenceNo ?? '', reason };
    }
    case '05':
    case '06':
      return failed(previousResponseCode ?? `${answer.responseCode}/${status}`, transactionStatusDesc ?? 'Failed at the bank');
    default:
      return { outcome: 'unknown', reason: `the bank's status of the transfer is ${status.slice(0, 10)}` };
  }
}

/** Whether what the bank names, as far as it names anything, is what was asked of it. */
function isAbout(request: BankTransferRequest, reference: string | undefined, paid: z.infer<typeof amount> | undefined): boolean {
  if (reference !== undefined && reference !== request.partnerReference) return false;
  return paid === undefined || (paid.currency === 'IDR' && parseAmount(paid.value) === BigInt(request.amountSen));
}

function failed(code: string, message: string): FailedOutcome {
  const beneficiaryUnknown = /^404..11$/.test(code);
  return { outcome: 'failed', code, reason: message.slice(0, REASON_LENGTH_MAX), beneficiaryUnknown };
}

function unreadable(): UnknownOutcome {
  return { outcome: 'unknown', reason: 'the bank’s answer lacks what it must have' };
}

function otherTransfer(): UnknownOutcome {
  return { outcome: 'unknown', reason: 'the bank answers for another reference or amount' };
}
