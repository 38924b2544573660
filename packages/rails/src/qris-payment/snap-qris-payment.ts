import { jakartaIso } from '@gerbang/core';
import { aspi } from '../providers/aspi.ts';
import { externalIdFor } from '../providers/external-id.ts';
import { type SnapService, serviceOf } from '../providers/provider.ts';
import { createSnapCalls, orUnknown, toSnapAmount } from '../snap-call.ts';
import { openSnapClient, type SnapCredentials } from '../snap-client.ts';
import { readCancellation, readDecoding, readPayment, readPaymentState, readRefund } from './outcomes.ts';
import type { QrisPaymentRail, QrisPaymentRequest, QrisRefundRequest, QrisScan } from './qris-payment.ts';

export type SnapQrisPaymentOptions = SnapCredentials & {
  /** By which the acquirer knows us as the payer. */
  merchantId: string;
};

/** An acquirer that speaks SNAP's QR MPM decode, payment, query, cancel and refund (48, 50, 51, 77, 78). `now` is real time. */
export function openSnapQrisPayment(options: SnapQrisPaymentOptions, now: () => number = Date.now): QrisPaymentRail {
  const { merchantId, provider = aspi } = options;
  const decode = serviceOf(provider, 'qrisDecode');
  const payment = serviceOf(provider, 'qrisPayment');
  const query = serviceOf(provider, 'qrisQuery');
  const cancel = serviceOf(provider, 'qrisCancel');
  const refund = serviceOf(provider, 'qrisRefund');
  const snap = openSnapClient(options, now);
  const call = createSnapCalls(snap, now);
  return {
    decode: (scan, { signal }) => call(decode, toScan(scan, merchantId, now()), signal, (answer) => readDecoding(answer, scan)),
    // Sent again it has the same external id, by which the acquirer tells a repetition of the same day.
    pay: (request, { signal, firstSend }) =>
      orUnknown(async () => {
        const { externalId } = request;
        const answer = await snap.post({ service: payment, externalId, body: toPayment(request, merchantId), signal });
        return readPayment(answer, request, { first: firstSend });
      }),
    query: (request, { signal }) =>
      call(query, toQuery(request, merchantId, payment), signal, (answer) => readPaymentState(answer, request)),
    cancel: (request, { signal }) =>
      call(cancel, toCancellation(request, merchantId, payment), signal, (answer) => readCancellation(answer, request)),
    // The acquirer tells a repetition by the refund's own reference.
    refund: (request, { signal, firstSend }) =>
      call(refund, toRefund(request, merchantId, payment), signal, (answer) => readRefund(answer, request, { first: firstSend })),
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

function toQuery(request: QrisPaymentRequest, merchantId: string, payment: SnapService): object {
  return { ...toOriginal(request, payment), serviceCode: payment.code, merchantId };
}

function toCancellation(request: QrisPaymentRequest, merchantId: string, payment: SnapService): object {
  const amount = toSnapAmount(BigInt(request.amountSen));
  return { ...toOriginal(request, payment), merchantId, reason: 'the outcome is not known', amount };
}

function toRefund({ payment: paid, refundReference }: QrisRefundRequest, merchantId: string, payment: SnapService): object {
  const refundAmount = toSnapAmount(BigInt(paid.amountSen));
  return {
    ...toOriginal(paid, payment),
    merchantId,
    partnerRefundNo: refundReference,
    refundAmount,
    reason: 'wanted by the payer',
  };
}

function toOriginal({ partnerReference, externalId }: QrisPaymentRequest, payment: SnapService): object {
  return { originalPartnerReferenceNo: partnerReference, originalExternalId: externalIdFor(payment, externalId) };
}
