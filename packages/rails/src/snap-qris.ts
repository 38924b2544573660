import { formatSen, jakartaIso, type QrisTip } from '@gerbang/core';
import { z } from 'zod';
import { aspi } from './providers/aspi.ts';
import { serviceOf } from './providers/provider.ts';
import type { QrisGeneration, QrisInquiry, QrisName, QrisRail, QrisRequest } from './qris.ts';
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

const generated = z.object({
  referenceNo: z.string().min(1).max(64),
  partnerReferenceNo: z.string().optional(),
  qrContent: z.string().min(1).max(512),
});

export type SnapQrisOptions = SnapCredentials & {
  /** By which the acquirer knows whose codes they are. */
  merchantId: string;
};

/** An acquirer that speaks SNAP's QR MPM generate, query and cancel (47, 51, 77). `now` is real time. */
export function openSnapQris(options: SnapQrisOptions, now: () => number = Date.now): QrisRail {
  const { provider = aspi } = options;
  const generate = serviceOf(provider, 'qrisGenerate');
  const query = serviceOf(provider, 'qrisQuery');
  const cancel = serviceOf(provider, 'qrisCancel');
  const snap = openSnapClient(options, now, PAYMENT_CONNECTIONS_MAX);
  const call = createSnapCalls(snap, now);
  return {
    generate: (request, { signal }) =>
      call(generate, toBody(request, options.merchantId), signal, (answer) => readGeneration(answer, request)),
    query: (code, { signal }) =>
      call(query, { ...toOriginalName(code), serviceCode: generate.code }, signal, (answer) => readState(answer, code)),
    cancel: (code, { signal }) =>
      call(cancel, { ...toOriginalName(code), merchantId: options.merchantId, reason: 'no longer for sale' }, signal, (answer) =>
        isDone(answer) ? { outcome: 'succeeded' } : readRefusalOrNotFound(answer, NOT_FOUND_CASES),
      ),
    close: () => snap.close(),
  };
}

export function readGeneration(answer: SnapAnswer, request: QrisRequest): QrisGeneration {
  if (answer.httpStatus !== 200) return readRefusal(answer);
  if (!isDone(answer)) return unknownBy(answer);
  const code = generated.safeParse(answer.body);
  if (!code.success) return unreadable();
  const { referenceNo, partnerReferenceNo, qrContent } = code.data;
  if (partnerReferenceNo !== undefined && partnerReferenceNo !== request.partnerReference) return aboutAnother();
  return { outcome: 'succeeded', railReference: referenceNo, payload: qrContent };
}

const STATE: PaymentStateForm = {
  notFoundCases: NOT_FOUND_CASES,
  amount: z.object({ amount: snapAmount.optional() }).transform((body) => body.amount),
  whose: "the acquirer's status of the code",
};

export function readState(answer: SnapAnswer, code: QrisName): QrisInquiry {
  return readPaymentState(answer, code.partnerReference, STATE);
}

/** The merchant's name and the tip are not SNAP's; acquirers take such things as additional information. */
function toBody(request: QrisRequest, merchantId: string): object {
  const { partnerReference, amountSen, tip, merchantName, merchantCity, expiresAtMs } = request;
  return {
    partnerReferenceNo: partnerReference,
    amount: toSnapAmount(amountSen),
    merchantId,
    validityPeriod: jakartaIso(expiresAtMs),
    additionalInfo: { merchantName, merchantCity, ...(tip !== undefined && { tip: toTip(tip) }) },
  };
}

function toTip(tip: QrisTip): object {
  switch (tip.indicator) {
    case 'input':
      return { indicator: 'input' };
    case 'fixed':
      return { indicator: 'fixed', value: formatSen(tip.amountSen) };
    case 'percentage':
      return { indicator: 'percentage', basisPoints: tip.basisPoints };
    default:
      return tip satisfies never;
  }
}
