import { randomInt } from 'node:crypto';
import { formatSen } from '@gerbang/core';
import { z } from 'zod';
import type { BankTransferInquiryResult, BankTransferRail, BankTransferRequest, BankTransferResult } from './bank-transfer.ts';
import { openSnapClient, type SnapAnswer, type SnapCredentials } from './snap-client.ts';

const INQUIRY = '/v1.0/account-inquiry-external';
const TRANSFER = '/v1.0/transfer-interbank';
const STATUS = '/v1.0/transfer/status';
const TRANSFER_SERVICE = '18';

const accountFound = z.looseObject({ beneficiaryAccountName: z.string() });
const transferDone = z.looseObject({ referenceNo: z.string().min(1) });
const statusFound = z.looseObject({
  latestTransactionStatus: z.string(),
  transactionStatusDesc: z.string().optional(),
  originalReferenceNo: z.string().optional(),
  additionalInfo: z.looseObject({ failureCode: z.string().optional() }).optional(),
});

/** A bank that speaks SNAP's interbank transfer (services 16, 18 and 36). */
export function openSnapBankTransfer(credentials: SnapCredentials): BankTransferRail {
  const snap = openSnapClient(credentials);
  return {
    async inquireAccount(inquiry, { signal }) {
      const body = {
        partnerReferenceNo: inquiry.partnerReference,
        beneficiaryBankCode: inquiry.bankCode,
        beneficiaryAccountNo: inquiry.accountNumber,
      };
      try {
        const answer = await snap.post(INQUIRY, newExternalId(), body, signal);
        if (answer.httpStatus === 200)
          return { outcome: 'found', accountName: accountFound.parse(answer.body).beneficiaryAccountName };
        return answer.httpStatus === 404 ? { outcome: 'not_found' } : { outcome: 'unknown', reason: describe(answer) };
      } catch (error) {
        return { outcome: 'unknown', reason: reasonOf(error) };
      }
    },
    async transfer(request, { signal, firstSend = false }) {
      try {
        return readTransfer(await snap.post(TRANSFER, request.externalId, toBody(request), signal), firstSend);
      } catch (error) {
        return { outcome: 'unknown', reason: reasonOf(error) };
      }
    },
    async inquireTransfer(request, { signal }) {
      const body = {
        originalPartnerReferenceNo: request.partnerReference,
        originalExternalId: request.externalId,
        serviceCode: TRANSFER_SERVICE,
      };
      try {
        return readStatus(await snap.post(STATUS, newExternalId(), body, signal));
      } catch (error) {
        return { outcome: 'unknown', reason: reasonOf(error) };
      }
    },
    close: () => snap.close(),
  };
}

function toBody(request: BankTransferRequest) {
  return {
    partnerReferenceNo: request.partnerReference,
    amount: { value: formatSen(BigInt(request.amountSen)), currency: 'IDR' },
    beneficiaryAccountName: request.beneficiaryAccountName,
    beneficiaryAccountNo: request.beneficiaryAccountNumber,
    beneficiaryBankCode: request.beneficiaryBankCode,
    additionalInfo: { merchantReference: request.merchantReference, remark: request.remark },
  };
}

/**
 * What the bank's answer to a transfer means. Refusals that say the bank has not executed and will not (403, 404, and 400 for a request it can't
 * take) are final; a reference or external id seen before (409) tells nothing of the outcome, nor do 401, 429 and 5xx.
 */
function readTransfer(answer: SnapAnswer, firstSend: boolean): BankTransferResult {
  switch (answer.httpStatus) {
    case 200:
      return { outcome: 'succeeded', railReference: transferDone.parse(answer.body).referenceNo };
    case 202:
      return { outcome: 'pending' };
    case 400:
      return firstSend ? failed(answer, false) : { outcome: 'unknown', reason: describe(answer) };
    case 403:
      return failed(answer, false);
    case 404:
      // 4041811: the beneficiary's account; any other 404 is about the address, and tells nothing.
      return answer.caseCode === '11' ? failed(answer, true) : { outcome: 'unknown', reason: describe(answer) };
    default:
      return { outcome: 'unknown', reason: describe(answer) };
  }
}

/** What the bank says of an earlier transfer; 07 and 404 are "not found", which is not "failed". */
function readStatus(answer: SnapAnswer): BankTransferInquiryResult {
  if (answer.httpStatus === 404 && answer.caseCode === '01') return { outcome: 'not_found' };
  if (answer.httpStatus !== 200) return { outcome: 'unknown', reason: describe(answer) };
  const status = statusFound.parse(answer.body);
  switch (status.latestTransactionStatus) {
    case '00':
      return { outcome: 'succeeded', railReference: status.originalReferenceNo ?? '' };
    case '01':
    case '02':
    case '03':
      return { outcome: 'pending' };
    case '04':
    case '05':
    case '06': {
      const code = status.additionalInfo?.failureCode ?? status.latestTransactionStatus;
      return {
        outcome: 'failed',
        code,
        reason: status.transactionStatusDesc ?? 'Failed',
        beneficiaryUnknown: code === '4041811',
      };
    }
    case '07':
      return { outcome: 'not_found' };
    default:
      return { outcome: 'unknown', reason: `unknown status ${status.latestTransactionStatus}` };
  }
}

function failed(answer: SnapAnswer, beneficiaryUnknown: boolean): BankTransferResult {
  return { outcome: 'failed', code: answer.responseCode, reason: answer.message, beneficiaryUnknown };
}

function describe(answer: SnapAnswer): string {
  return `${answer.responseCode} ${answer.message}`.slice(0, 200);
}

/** Names what went wrong on the way, without what was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return 'the answer could not be read';
  return error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 200) : 'no answer';
}

function newExternalId(): string {
  return `${Date.now()}${String(randomInt(1_000_000_000_000)).padStart(12, '0')}`;
}
