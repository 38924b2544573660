import { z } from 'zod';
import { aspi } from '../providers/aspi.ts';
import { serviceOf } from '../providers/provider.ts';
import type { UnknownOutcome } from '../rail-call.ts';
import {
  aboutAnother,
  createSnapCalls,
  REASON_LENGTH_MAX,
  snapAmount,
  toSnapAmount,
  unknownBy,
  unreadable,
} from '../snap-call.ts';
import { openSnapClient, type SnapAnswer, type SnapCredentials } from '../snap-client.ts';
import { DEPOSIT_SHORT_CASE, INQUIRY_CASES, PURCHASE_CASES, PURCHASE_STATUSES } from './cases.ts';
import type { PrepaidInquiryResult, PrepaidPurchaseResult, PrepaidQuestion, PrepaidRail, PrepaidRequest } from './rail.ts';

const customerFound = z.object({ customerNo: z.string(), customerName: z.string().trim().min(1).max(255) });

/** What an answer says of the purchase that it names. */
const purchased = z.object({
  originalPartnerReferenceNo: z.string(),
  originalReferenceNo: z.string().min(1).max(64),
  amount: snapAmount,
  latestTransactionStatus: z.string(),
  transactionStatusDesc: z.string().default(''),
  serialNumber: z.string().trim().max(64).default(''),
  /** Billers print it in groups of four; the digits are the token. */
  token: z
    .string()
    .transform((text) => text.replaceAll(/[ -]/g, ''))
    .pipe(z.string().regex(/^[0-9]{20}$/))
    .optional(),
  /** Why it has failed. */
  previousResponseCode: z.string().max(7).optional(),
});

/** A rail that speaks inquiry and purchase (95, 96). `now` is real time. */
export function openSnapPrepaid(credentials: SnapCredentials, now: () => number = Date.now): PrepaidRail {
  const { provider = aspi } = credentials;
  const inquiry = serviceOf(provider, 'prepaidInquiry');
  const purchase = serviceOf(provider, 'prepaidPurchase');
  const snap = openSnapClient(credentials, now);
  const call = createSnapCalls(snap, now);
  return {
    inquire: (question, { signal }) => call(inquiry, toQuestion(question), signal, (answer) => readInquiry(answer, question)),
    purchase: (request, { signal, firstSend }) =>
      call(purchase, toBody(request), signal, (answer) => readPurchase(answer, request, { firstSend })),
    close: () => snap.close(),
  };
}

/** Service 95. What the rail refuses of ours is for operators, and an error for the merchant. */
export function readInquiry(answer: SnapAnswer, { customerNumber }: PrepaidQuestion): PrepaidInquiryResult {
  const treatment = INQUIRY_CASES[caseOf(answer)];
  switch (treatment) {
    case 'found': {
      const found = customerFound.safeParse(answer.body);
      if (!found.success) return unreadable();
      const { customerNo, customerName } = found.data;
      return customerNo === customerNumber ? { outcome: 'found', customerName } : aboutAnother();
    }
    case 'unknown_customer':
      return { outcome: 'customer_unknown' };
    case 'blocked':
      return { outcome: 'customer_blocked' };
    case 'unavailable':
      return { outcome: 'unavailable', reason: unknownBy(answer).reason };
    case 'operator':
      return forOperators(unknownBy(answer));
    case undefined:
      return unknownBy(answer);
    default:
      return treatment satisfies never;
  }
}

/** Service 96, of a first send and of one that asks how an earlier one came out. */
export function readPurchase(
  answer: SnapAnswer,
  request: PrepaidRequest,
  { firstSend }: { firstSend: boolean },
): PrepaidPurchaseResult {
  const treatment = PURCHASE_CASES[caseOf(answer)];
  switch (treatment) {
    case 'read':
      return readStatus(answer, request);
    case 'pending':
      return { outcome: 'pending' };
    case 'failed':
      return firstSend ? failed(answer.responseCode, answer.message) : unknownBy(answer);
    case 'operator':
      return forOperators(unknownBy(answer));
    case 'ask':
    case undefined:
      return unknownBy(answer);
    default:
      return treatment satisfies never;
  }
}

function readStatus(answer: SnapAnswer, { partnerReference, amountSen, givesToken }: PrepaidRequest): PrepaidPurchaseResult {
  const read = purchased.safeParse(answer.body);
  if (!read.success) return forOperators(unreadable());
  const { originalPartnerReferenceNo, originalReferenceNo, amount, latestTransactionStatus: status, ...rest } = read.data;
  if (originalPartnerReferenceNo !== partnerReference || amount !== BigInt(amountSen)) return forOperators(aboutAnother());
  const meaning = PURCHASE_STATUSES[status];
  switch (meaning) {
    case 'succeeded': {
      const { token, serialNumber } = rest;
      if (givesToken && token === undefined) return forOperators({ outcome: 'unknown', reason: 'the rail gives no token' });
      return { outcome: 'succeeded', railReference: originalReferenceNo, serialNumber, token: givesToken ? token : undefined };
    }
    case 'pending':
      return { outcome: 'pending' };
    case 'failed':
      return failed(rest.previousResponseCode ?? `${answer.responseCode}/${status}`, rest.transactionStatusDesc);
    case undefined:
      return forOperators({ outcome: 'unknown', reason: `the rail's status of the purchase is ${status.slice(0, 10)}` });
    default:
      return meaning satisfies never;
  }
}

function failed(code: string, message: string): PrepaidPurchaseResult {
  const isDepositShort = `${code.slice(0, 3)}/${code.slice(5)}` === DEPOSIT_SHORT_CASE;
  return { outcome: 'failed', code, reason: message.slice(0, REASON_LENGTH_MAX), isDepositShort };
}

/** Asking again will hardly help. */
function forOperators(unknown: UnknownOutcome): UnknownOutcome {
  return { ...unknown, needsOperator: true };
}

/** HTTP status and case: what the services' codes have in common. */
function caseOf({ httpStatus, caseCode }: SnapAnswer): string {
  return `${httpStatus}/${caseCode}`;
}

function toQuestion({ partnerReference, railCode, customerNumber }: PrepaidQuestion): object {
  return { partnerReferenceNo: partnerReference, productCode: railCode, customerNo: customerNumber };
}

function toBody(request: PrepaidRequest): object {
  return {
    ...toQuestion(request),
    amount: toSnapAmount(BigInt(request.amountSen)),
    additionalInfo: { transactionId: request.transactionId },
  };
}
