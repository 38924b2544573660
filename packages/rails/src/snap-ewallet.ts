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
import { aspi } from './providers/aspi.ts';
import { serviceOf } from './providers/provider.ts';
import {
  aboutAnother,
  createSnapCalls,
  isDone,
  readRefusal,
  readRefusalOrNotFound,
  snapAmount,
  toSnapAmount,
  unknownBy,
  unreadable,
} from './snap-call.ts';
import { openSnapClient, PAYMENT_CONNECTIONS_MAX, type SnapAnswer, type SnapCredentials } from './snap-client.ts';
import { type PaymentStateForm, readPaymentState, toOriginalName } from './snap-payment-state.ts';

const NOT_FOUND_CASES = ['01'];

const created = z.object({
  referenceNo: z.string().min(1).max(64),
  partnerReferenceNo: z.string().optional(),
  webRedirectUrl: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional(),
});
const refunded = z.object({ refundNo: z.string().min(1).max(64) });

/** An e-wallet that speaks SNAP's direct debit payment, status, cancel and refund (54, 55, 57, 58). `now` is real time. */
export function openSnapEwallet(credentials: SnapCredentials, now: () => number = Date.now): EwalletRail {
  const { provider = aspi } = credentials;
  const payments = serviceOf(provider, 'debitPayment');
  const status = serviceOf(provider, 'debitStatus');
  const cancel = serviceOf(provider, 'debitCancel');
  const refund = serviceOf(provider, 'debitRefund');
  const snap = openSnapClient(credentials, now, PAYMENT_CONNECTIONS_MAX);
  const call = createSnapCalls(snap, now);
  return {
    createPayment: (request, { signal }) =>
      call(payments, toBody(request), signal, (answer) => readCreation(answer, request.partnerReference)),
    inquirePayment: (payment, { signal }) =>
      call(
        status,
        { ...toOriginalName(payment), serviceCode: payments.code, amount: toSnapAmount(payment.amountSen) },
        signal,
        (answer) => readState(answer, payment),
      ),
    cancelPayment: (payment, { signal }) =>
      call(cancel, { ...toOriginalName(payment), amount: toSnapAmount(payment.amountSen) }, signal, (answer) =>
        isDone(answer) ? { outcome: 'succeeded' } : readRefusalOrNotFound(answer, NOT_FOUND_CASES),
      ),
    refundPayment: (wanted, { signal }) => call(refund, toRefund(wanted), signal, readRefund),
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

const STATE: PaymentStateForm = {
  notFoundCases: NOT_FOUND_CASES,
  amount: z.object({ transAmount: snapAmount.optional() }).transform((body) => body.transAmount),
  whose: "the wallet's status of the payment",
};

export function readState(answer: SnapAnswer, payment: EwalletName): EwalletInquiry {
  return readPaymentState(answer, payment.partnerReference, STATE);
}

export function readRefund(answer: SnapAnswer): EwalletRefundResult {
  if (answer.httpStatus === 202) return { outcome: 'pending' };
  if (answer.httpStatus !== 200) return readRefusalOrNotFound(answer, NOT_FOUND_CASES);
  const done = isDone(answer) ? refunded.safeParse(answer.body) : undefined;
  if (done === undefined) return unknownBy(answer);
  return done.success ? { outcome: 'succeeded', railReference: done.data.refundNo } : unreadable();
}

function toRefund({ refundReference, refundSen, reason, ...payment }: EwalletRefund): object {
  return { ...toOriginalName(payment), partnerRefundNo: refundReference, refundAmount: toSnapAmount(refundSen), reason };
}

function toBody({ partnerReference, channel, amountSen, customerPhone, returnUrl, expiresAtMs }: EwalletRequest): object {
  const amount = toSnapAmount(amountSen);
  return {
    partnerReferenceNo: partnerReference,
    amount,
    validUpTo: jakartaIso(expiresAtMs),
    ...(returnUrl !== undefined && { urlParams: [{ url: returnUrl, type: 'PAY_RETURN', isDeeplink: 'N' }] }),
    payOptionDetails: [{ payMethod: 'BALANCE', payOption: channel, transAmount: amount }],
    ...(customerPhone !== undefined && { additionalInfo: { customerPhone } }),
  };
}
