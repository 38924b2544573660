import { jakartaIso } from '@gerbang/core';
import { aspi } from '../providers/aspi.ts';
import { externalIdFor } from '../providers/external-id.ts';
import { type SnapService, serviceOf } from '../providers/provider.ts';
import { createSnapCalls, orUnknown, toSnapAmount } from '../snap-call.ts';
import { openSnapClient, type SnapCredentials } from '../snap-client.ts';
import { readDecoding, readPayment, readPaymentState } from './outcomes.ts';
import type { QrisPaymentRail, QrisPaymentRequest, QrisScan } from './qris-payment.ts';

export type SnapQrisPaymentOptions = SnapCredentials & {
  /** By which the acquirer knows us as the payer. */
  merchantId: string;
};

/** An acquirer that speaks SNAP's QR MPM decode, payment and query (48, 50, 51). `now` is real time. */
export function openSnapQrisPayment(options: SnapQrisPaymentOptions, now: () => number = Date.now): QrisPaymentRail {
  const { merchantId, provider = aspi } = options;
  const decode = serviceOf(provider, 'qrisDecode');
  const payment = serviceOf(provider, 'qrisPayment');
  const query = serviceOf(provider, 'qrisQuery');
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

function toQuery({ partnerReference, externalId }: QrisPaymentRequest, merchantId: string, payment: SnapService): object {
  return {
    originalPartnerReferenceNo: partnerReference,
    originalExternalId: externalIdFor(payment, externalId),
    serviceCode: payment.code,
    merchantId,
  };
}
