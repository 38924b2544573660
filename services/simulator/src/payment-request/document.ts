import type { QrisTip } from '@gerbang/core';
import type { MoneyInRail } from '../money-in/rail.ts';
import type { PaymentRequest } from './payment-request.ts';

const SCHEMA = 1;

/** As it is stored; real time, so that of requests with the same number the newest is known. */
export type PaymentRequestDocument = {
  _id: string;
  schema: number;
  rail: MoneyInRail;
  reference: string;
  reference_no: string;
  external_key: string;
  number: string;
  payload: string;
  amount_sen?: bigint;
  min_sen?: bigint;
  max_sen?: bigint;
  tip: string;
  usage_max?: number;
  return_url: string;
  expires_at?: Date;
  canceled: boolean;
  made_at: Date;
};

/** Its `_id`. */
export function keyOf({ rail, reference }: Pick<PaymentRequest, 'rail' | 'reference'>): string {
  return `${rail}:${reference}`;
}

/** All of it but `made_at`, which is when it is written. */
export function toDocument(paymentRequest: PaymentRequest): Omit<PaymentRequestDocument, 'made_at'> {
  const { amountSen, bounds, usageMax, expiresAtMs, tip } = paymentRequest;
  return {
    _id: keyOf(paymentRequest),
    schema: SCHEMA,
    rail: paymentRequest.rail,
    reference: paymentRequest.reference,
    reference_no: paymentRequest.referenceNo,
    external_key: paymentRequest.externalKey,
    number: paymentRequest.number,
    payload: paymentRequest.payload,
    ...(amountSen !== undefined && { amount_sen: amountSen }),
    ...(bounds !== undefined && { min_sen: bounds.minSen, max_sen: bounds.maxSen }),
    tip: tip === undefined ? '' : writeTip(tip),
    ...(usageMax !== undefined && { usage_max: usageMax }),
    return_url: paymentRequest.returnUrl,
    ...(expiresAtMs !== undefined && { expires_at: new Date(expiresAtMs) }),
    canceled: paymentRequest.canceled,
  };
}

export function fromDocument(document: PaymentRequestDocument): PaymentRequest {
  const { amount_sen: amountSen, min_sen: minSen, max_sen: maxSen, usage_max: usageMax, expires_at: expiresAt } = document;
  return {
    rail: document.rail,
    reference: document.reference,
    referenceNo: document.reference_no,
    externalKey: document.external_key,
    number: document.number,
    payload: document.payload,
    amountSen,
    bounds: minSen === undefined || maxSen === undefined ? undefined : { minSen, maxSen },
    tip: readTip(document.tip),
    usageMax,
    returnUrl: document.return_url,
    expiresAtMs: expiresAt?.getTime(),
    canceled: document.canceled,
  };
}

function writeTip(tip: QrisTip): string {
  switch (tip.indicator) {
    case 'input':
      return 'input';
    case 'fixed':
      return `fixed:${tip.amountSen}`;
    case 'percentage':
      return `percentage:${tip.basisPoints}`;
    default:
      return tip satisfies never;
  }
}

function readTip(text: string): QrisTip | undefined {
  const [indicator, value = '0'] = text.split(':');
  switch (indicator) {
    case 'input':
      return { indicator };
    case 'fixed':
      return { indicator, amountSen: BigInt(value) };
    case 'percentage':
      return { indicator, basisPoints: Number(value) };
    default:
      return undefined;
  }
}
