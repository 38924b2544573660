import { jakartaIso } from '@gerbang/core';
import { createSnapCalls, orUnknown, toSnapAmount } from '../snap-call.ts';
import { openSnapClient, type SnapCredentials, type SnapService } from '../snap-client.ts';
import { readCancellation, readDecoding, readPayment, readPaymentState, readRefund } from './outcomes.ts';
import type { QrisPaymentRail, QrisPaymentRequest, QrisRefundRequest, QrisScan } from './qris-payment.ts';

const DECODE: SnapService = { path: '/v1.0/qr/qr-mpm-decode', code: '48' };
const PAYMENT: SnapService = { path: '/v1.0/qr/qr-mpm-payment', code: '50' };
const QUERY: SnapService = { path: '/v1.0/qr/qr-mpm-query', code: '51' };
const CANCEL: SnapService = { path: '/v1.0/qr/qr-mpm-cancel', code: '77' };
const REFUND: SnapService = { path: '/v1.0/qr/qr-mpm-refund', code: '78' };

export type SnapQrisPaymentOptions = SnapCredentials & {
  /** By which the acquirer knows us as the payer. */
  merchantId: string;
};

/** An acquirer that speaks SNAP's QR MPM decode, payment, query, cancel and refund (48, 50, 51, 77, 78). `now` is real time. */
export function openSnapQrisPayment(options: SnapQrisPaymentOptions, now: () => number = Date.now): QrisPaymentRail {
  const snap = openSnapClient(options, now);
  const call = createSnapCalls(snap, now);
  const { merchantId } = options;
  return {
    decode: (scan, { signal }) => call(DECODE, toScan(scan, merchantId, now()), signal, (answer) => readDecoding(answer, scan)),
    // Sent again it has the same external id, by which the acquirer tells a repetition of the same day.
    pay: (request, { signal, firstSend }) =>
      orUnknown(async () => {
        const { externalId } = request;
        const answer = await snap.post({ service: PAYMENT, externalId, body: toPayment(request, merchantId), signal });
        return readPayment(answer, request, { first: firstSend });
      }),
    query: (request, { signal }) =>
      call(QUERY, toQuery(request, merchantId), signal, (answer) => readPaymentState(answer, request)),
    cancel: (request, { signal }) =>
      call(CANCEL, toCancellation(request, merchantId), signal, (answer) => readCancellation(answer, request)),
    // The acquirer tells a repetition by the refund's own reference.
    refund: (request, { signal, firstSend }) =>
      call(REFUND, toRefund(request, merchantId), signal, (answer) => readRefund(answer, request, { first: firstSend })),
    close: () => snap.close(),
  };
}

function toScan({ partnerReference, payload, amountSen }: QrisScan, merchantId: string, nowMs: number): object {
  return {
    partnerReferenceNo: partnerReference,
    qrContent: payload,
    ...(amountSen !== undefined && { amount: toSnapAmount(amountSen) }),
    merchantId,
    scanTime: jakartaIso(nowMs),
  };
}

/** The body of a payment: the same text for the same request, whenever it is sent. SNAP has no place for the tip. */
function toPayment(request: QrisPaymentRequest, merchantId: string): object {
  return {
    partnerReferenceNo: request.partnerReference,
    merchantId,
    amount: toSnapAmount(BigInt(request.amountSen)),
    additionalInfo: {
      tipAmount: toSnapAmount(BigInt(request.tipSen)),
      merchantReference: request.merchantReference,
      ...(request.transactionId !== undefined && { transactionId: request.transactionId }),
    },
  };
}

function toQuery(request: QrisPaymentRequest, merchantId: string): object {
  return { ...toOriginal(request), serviceCode: PAYMENT.code, merchantId };
}

function toCancellation(request: QrisPaymentRequest, merchantId: string): object {
  const amount = toSnapAmount(BigInt(request.amountSen));
  return { ...toOriginal(request), merchantId, reason: 'the outcome is not known', amount };
}

function toRefund({ payment, refundReference }: QrisRefundRequest, merchantId: string): object {
  const refundAmount = toSnapAmount(BigInt(payment.amountSen));
  return { ...toOriginal(payment), merchantId, partnerRefundNo: refundReference, refundAmount, reason: 'wanted by the payer' };
}

function toOriginal({ partnerReference, externalId }: QrisPaymentRequest): object {
  return { originalPartnerReferenceNo: partnerReference, originalExternalId: externalId };
}
