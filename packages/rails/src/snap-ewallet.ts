import { jakartaIso } from '@gerbang/core';
import { z } from 'zod';
import type {
  EwalletCreation,
  EwalletInquiry,
  EwalletName,
  EwalletRail,
  EwalletRefund,
  EwalletRefundResult,
  EwalletRequest,
} from './ewallet.ts';
import {
  aboutAnother,
  createSnapCalls,
  isDone,
  readNotFound,
  readRefusal,
  readRefusalOrNotFound,
  snapAmount,
  toSnapAmount,
  unknownBy,
  unreadable,
} from './snap-call.ts';
import { openSnapClient, type SnapAnswer, type SnapCredentials, type SnapService } from './snap-client.ts';

const PAYMENT: SnapService = { path: '/v1.0/debit/payment-host-to-host', code: '54' };
const STATUS: SnapService = { path: '/v1.0/debit/status', code: '55' };
const CANCEL: SnapService = { path: '/v1.0/debit/cancel', code: '57' };
const REFUND: SnapService = { path: '/v1.0/debit/refund', code: '58' };

const NOT_FOUND_CASES = ['01'];

const created = z.object({
  referenceNo: z.string().min(1).max(64),
  partnerReferenceNo: z.string().optional(),
  webRedirectUrl: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional(),
});
const state = z.object({
  originalReferenceNo: z.string().min(1).max(64).optional(),
  originalPartnerReferenceNo: z.string().optional(),
  latestTransactionStatus: z.string(),
  transactionStatusDesc: z.string().max(200).default(''),
  paidTime: z.iso.datetime({ offset: true }).optional(),
  transAmount: snapAmount.optional(),
});
const refunded = z.object({ refundNo: z.string().min(1).max(64) });

/** An e-wallet that speaks SNAP's direct debit payment, status, cancel and refund (54, 55, 57, 58). `now` is real time. */
export function openSnapEwallet(credentials: SnapCredentials, now: () => number = Date.now): EwalletRail {
  const snap = openSnapClient(credentials, now);
  const call = createSnapCalls(snap, now);
  return {
    createPayment: (request, { signal }) =>
      call(PAYMENT, toBody(request), signal, (answer) => readCreation(answer, request.partnerReference)),
    inquirePayment: (payment, { signal }) =>
      call(STATUS, { ...toName(payment), serviceCode: PAYMENT.code, amount: toSnapAmount(payment.amountSen) }, signal, (answer) =>
        readState(answer, payment),
      ),
    cancelPayment: (payment, { signal }) =>
      call(CANCEL, { ...toName(payment), amount: toSnapAmount(payment.amountSen) }, signal, (answer) =>
        isDone(answer) ? { outcome: 'succeeded' } : readRefusalOrNotFound(answer, NOT_FOUND_CASES),
      ),
    refundPayment: (refund, { signal }) => call(REFUND, toRefund(refund), signal, readRefund),
    close: () => snap.close(),
  };
}

export function readCreation(answer: SnapAnswer, partnerReference: string): EwalletCreation {
  if (answer.httpStatus !== 200) return readRefusal(answer);
  const done = isDone(answer) ? created.safeParse(answer.body) : undefined;
  if (done === undefined) return unknownBy(answer);
  if (!done.success) return unreadable();
  const { referenceNo, partnerReferenceNo, webRedirectUrl } = done.data;
  if (partnerReferenceNo !== undefined && partnerReferenceNo !== partnerReference) return aboutAnother();
  return { outcome: 'pending', railReference: referenceNo, redirectUrl: webRedirectUrl };
}

/** 04 (refunded) is unknown: money has come and gone again, which operators book. */
export function readState(answer: SnapAnswer, payment: EwalletName): EwalletInquiry {
  if (answer.httpStatus !== 200) return readNotFound(answer, NOT_FOUND_CASES);
  const found = isDone(answer) ? state.safeParse(answer.body) : undefined;
  if (found === undefined) return unknownBy(answer);
  if (!found.success) return unreadable();
  const { originalReferenceNo, originalPartnerReferenceNo, latestTransactionStatus: status, transAmount, paidTime } = found.data;
  if (status === '07') return { outcome: 'not_found' };
  if (originalPartnerReferenceNo !== undefined && originalPartnerReferenceNo !== payment.partnerReference) {
    return aboutAnother();
  }
  switch (status) {
    case '00':
      if (originalReferenceNo === undefined || transAmount === undefined || paidTime === undefined) return unreadable();
      return { outcome: 'paid', railReference: originalReferenceNo, amountSen: transAmount, paidAtMs: Date.parse(paidTime) };
    case '01':
    case '02':
    case '03':
      return { outcome: 'pending' };
    case '05':
    case '06':
      return { outcome: 'failed', code: `${answer.responseCode}/${status}`, reason: found.data.transactionStatusDesc };
    default:
      return { outcome: 'unknown', reason: `the wallet's status of the payment is ${status.slice(0, 10)}` };
  }
}

export function readRefund(answer: SnapAnswer): EwalletRefundResult {
  if (answer.httpStatus === 202) return { outcome: 'pending' };
  if (answer.httpStatus !== 200) return readRefusalOrNotFound(answer, NOT_FOUND_CASES);
  const done = isDone(answer) ? refunded.safeParse(answer.body) : undefined;
  if (done === undefined) return unknownBy(answer);
  return done.success ? { outcome: 'succeeded', railReference: done.data.refundNo } : unreadable();
}

function toName({ partnerReference, railReference }: Omit<EwalletName, 'amountSen'>): object {
  return {
    originalPartnerReferenceNo: partnerReference,
    ...(railReference !== '' && { originalReferenceNo: railReference }),
  };
}

function toRefund({ refundReference, refundSen, reason, ...payment }: EwalletRefund): object {
  return { ...toName(payment), partnerRefundNo: refundReference, refundAmount: toSnapAmount(refundSen), reason };
}

function toBody({ partnerReference, channel, amountSen, customerPhone, returnUrl, expiresAtMs }: EwalletRequest): object {
  const amount = toSnapAmount(amountSen);
  return {
    partnerReferenceNo: partnerReference,
    amount,
    validUpTo: jakartaIso(expiresAtMs),
    ...(returnUrl !== undefined && { urlParam: [{ url: returnUrl, type: 'PAY_RETURN', isDeeplink: 'N' }] }),
    payOptionDetails: [{ payMethod: 'BALANCE', payOption: channel, transAmount: amount }],
    ...(customerPhone !== undefined && { additionalInfo: { customerPhone } }),
  };
}
