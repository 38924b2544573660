import { z } from 'zod';
import { aspi } from '../providers/aspi.ts';
import { serviceOf } from '../providers/provider.ts';
import { SNAP_SERVICES } from '../providers/services.ts';
import type { NotFoundOutcome } from '../rail-call.ts';
import {
  aboutAnother,
  createSnapCalls,
  isDone,
  REASON_LENGTH_MAX,
  readNotFound,
  snapAmount,
  toSnapAmount,
  unknownBy,
  unreadable,
} from '../snap-call.ts';
import { openSnapClient, type SnapAnswer, type SnapCredentials } from '../snap-client.ts';
import type { CardlessName, CardlessRail, CardlessRequest, CardlessState } from './rail.ts';

const NOT_FOUND_CASE = '01';
const UNKNOWN_PHONE_CASE = '11';
/** What every answer says of the withdrawal. */
const withdrawal = z.object({
  originalPartnerReferenceNo: z.string(),
  originalReferenceNo: z.string().min(1).max(64),
  amount: snapAmount,
  latestTransactionStatus: z.string(),
  transactionStatusDesc: z.string().default(''),
  /** Of an active one. */
  withdrawalCode: z
    .string()
    .regex(/^[0-9]{6,20}$/)
    .optional(),
  /** Why one was canceled. */
  cancelReason: z.enum(['CANCELED', 'EXPIRED']).optional(),
  /** Why one has failed. */
  previousResponseCode: z.string().max(7).optional(),
});

/** A bank that speaks create code, status and cancel (91, 92, 93). `now` is real time. */
export function openSnapCardless(credentials: SnapCredentials, now: () => number = Date.now): CardlessRail {
  const { provider = aspi } = credentials;
  const create = serviceOf(provider, 'cardlessCreate');
  const status = serviceOf(provider, 'cardlessStatus');
  const cancel = serviceOf(provider, 'cardlessCancel');
  const snap = openSnapClient(credentials, now);
  const call = createSnapCalls(snap, now);
  return {
    createCode: (request, { signal, firstSend = false }) =>
      call(create, toBody(request), signal, (answer) => readCreation(answer, request, { first: firstSend })),
    inquire: (name, { signal }) => call(status, toName(name), signal, (answer) => readStatus(answer, name)),
    cancel: (name, { signal }) => call(cancel, toName(name), signal, (answer) => readStatus(answer, name)),
    close: () => snap.close(),
  };
}

/**
 * 403 and 404 are the bank's explicit no; so is 400, which says that it could not read the request, unless an earlier send may
 * have been read. 409 says that the reference is taken, maybe by a cancellation that came first: the caller inquires. 401 (with a
 * new token), 429 and 5xx tell nothing.
 */
export function readCreation(answer: SnapAnswer, request: CardlessRequest, sent: { first: boolean }): CardlessState {
  if (answer.httpStatus === 200) return readState(answer, request);
  const isFinal = [403, 404].includes(answer.httpStatus) || (answer.httpStatus === 400 && sent.first);
  return isFinal ? failed(answer.responseCode, answer.message) : unknownBy(answer);
}

/** How a withdrawal stands, as status and cancel tell it. A refusal to cancel says nothing of it: the caller inquires. */
export function readStatus(answer: SnapAnswer, name: CardlessName): CardlessState | NotFoundOutcome {
  return answer.httpStatus === 200 ? readState(answer, name) : readNotFound(answer, [NOT_FOUND_CASE]);
}

function readState(answer: SnapAnswer, { partnerReference, amountSen }: CardlessName): CardlessState {
  if (!isDone(answer)) return unknownBy(answer);
  const read = withdrawal.safeParse(answer.body);
  if (!read.success) return unreadable();
  const { latestTransactionStatus: status, originalReferenceNo: railReference, withdrawalCode: code, cancelReason } = read.data;
  if (read.data.originalPartnerReferenceNo !== partnerReference || read.data.amount !== BigInt(amountSen)) return aboutAnother();
  switch (status) {
    case '00':
      return { outcome: 'withdrawn', railReference };
    case '01':
    case '02':
      return { outcome: 'pending' };
    case '03':
      return code === undefined ? unreadable() : { outcome: 'active', code };
    case '05':
      return { outcome: cancelReason === 'EXPIRED' ? 'expired' : 'canceled' };
    case '06':
      return failed(read.data.previousResponseCode ?? `${answer.responseCode}/${status}`, read.data.transactionStatusDesc);
    default:
      return { outcome: 'unknown', reason: `the bank's status of the withdrawal is ${status.slice(0, 10)}` };
  }
}

function failed(code: string, message: string): CardlessState {
  const phoneUnknown = code.startsWith('404') && code.endsWith(UNKNOWN_PHONE_CASE);
  return { outcome: 'failed', code, reason: message.slice(0, REASON_LENGTH_MAX), phoneUnknown };
}

function toBody(request: CardlessRequest): object {
  const { partnerReference, amountSen, bankCode, phoneNumber, merchantReference, transactionId, expiresAtMs } = request;
  return {
    partnerReferenceNo: partnerReference,
    amount: toSnapAmount(BigInt(amountSen)),
    bankCode,
    customerPhone: phoneNumber,
    // To the millisecond: a code must not end before the moment that the merchant was told.
    validUpTo: new Date(expiresAtMs).toISOString(),
    additionalInfo: { merchantReference, transactionId },
  };
}

function toName({ partnerReference, amountSen }: CardlessName): object {
  return {
    originalPartnerReferenceNo: partnerReference,
    serviceCode: SNAP_SERVICES.cardlessCreate.code,
    amount: toSnapAmount(BigInt(amountSen)),
  };
}
