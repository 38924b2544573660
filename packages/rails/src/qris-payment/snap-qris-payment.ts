import { jakartaIso } from '@gerbang/core';
import { createSnapCalls, orUnknown, toSnapAmount } from '../snap-call.ts';
import { openSnapClient, type SnapCredentials, type SnapService } from '../snap-client.ts';
import { readDecoding, readPayment, readPaymentState } from './outcomes.ts';
import type { QrisPaymentRail, QrisPaymentRequest, QrisScan } from './qris-payment.ts';

const DECODE: SnapService = { path: '/v1.0/qr/qr-mpm-decode', code: '48' };
const PAYMENT: SnapService = { path: '/v1.0/qr/qr-mpm-payment', code: '50' };
const QUERY: SnapService = { path: '/v1.0/qr/qr-mpm-query', code: '51' };

export type SnapQrisPaymentOptions = SnapCredentials & {
  /** By which the acquirer knows us as the payer. */
  merchantId: string;
};

/** An acquirer that speaks SNAP's QR MPM decode, payment and query (48, 50, 51). `now` is real time. */
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

function toQuery({ partnerReference, externalId }: QrisPaymentRequest, merchantId: string): object {
  return {
    originalPartnerReferenceNo: partnerReference,
    originalExternalId: externalId,
    serviceCode: PAYMENT.code,
    merchantId,
  };
}
