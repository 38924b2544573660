import { newUlid, toMoney } from '@gerbang/core';
import { z } from 'zod';
import type { PaymentRequest } from '../payment-request/payment-request.ts';
import { type SnapAnswer, SnapRefusal } from '../snap/snap.ts';
import { transaction } from '../snap/transaction.ts';
import type { Receipt } from './receipts.ts';
import { receiptOf } from './request-receipt.ts';
import {
  DO_NOT_HONOR,
  done,
  partnerReference,
  snapAmountSen,
  snapTimeMs,
  TRANSACTION_NOT_FOUND,
  takeExternalId,
} from './snap-fields.ts';
import { snapMoment } from './snap-time.ts';

export const DEBIT_PAYMENT = '54';
export const DEBIT_STATUS = '55';
export const DEBIT_CANCEL = '57';
export const DEBIT_REFUND = '58';

const payment = z.object({
  partnerReferenceNo: partnerReference,
  amount: snapAmountSen,
  validUpTo: snapTimeMs,
  payOptionDetails: z.array(z.object({ payOption: z.string().min(1).max(64) })).min(1),
  urlParams: z.array(z.object({ url: z.url({ protocol: /^https?$/ }), type: z.string() })).default([]),
});
const original = z.object({ originalPartnerReferenceNo: partnerReference });
const refund = original.extend({ partnerRefundNo: partnerReference, refundAmount: snapAmountSen });

const PAID: SnapAnswer = { http: 403, caseCode: '00', message: 'Transaction Paid Already' };

const ewallet = () => 'ewallet' as const;

/** POST /v1.0/debit/payment-host-to-host: the customer is asked in the app (SNAP 54). A reference that was used before is 409. */
export const debitPayment = transaction(DEBIT_PAYMENT, payment, ewallet, async (context, { body, externalKey, forced }) => {
  if (forced === 'failed') return DO_NOT_HONOR;
  const asked = toPaymentRequest(body, externalKey);
  const added = await context.paymentRequests.add(asked);
  if (added === 'external-id-used') throw new SnapRefusal(409, '00', 'Conflict');
  if (added !== 'added') throw new SnapRefusal(409, '01', 'Conflict {partnerReferenceNo}');
  if (forced === 'timeout') return 'silence';
  const webRedirectUrl = `${context.publicUrl}/ewallet/${encodeURIComponent(asked.reference)}`;
  return done({ referenceNo: asked.referenceNo, partnerReferenceNo: asked.reference, webRedirectUrl });
});

/** POST /v1.0/debit/status: how a payment stands (SNAP 55). */
export const debitStatus = transaction(DEBIT_STATUS, original, ewallet, async (context, { body, externalKey }) => {
  takeExternalId(context, externalKey);
  const asked = await context.paymentRequests.find('ewallet', body.originalPartnerReferenceNo);
  if (asked === undefined) return TRANSACTION_NOT_FOUND;
  const receipt = await context.receipts.find('ewallet', asked.referenceNo);
  const isOver = asked.expiresAtMs !== undefined && context.clock.now() >= asked.expiresAtMs;
  return done({
    originalReferenceNo: asked.referenceNo,
    originalPartnerReferenceNo: asked.reference,
    serviceCode: DEBIT_PAYMENT,
    transAmount: toMoney(asked.amountSen ?? 0n),
    ...stateOf(receipt, isOver),
  });
});

/** POST /v1.0/debit/cancel: the customer can't confirm any more (SNAP 57); 403 where that has happened. */
export const debitCancel = transaction(DEBIT_CANCEL, original, ewallet, async (context, { body, externalKey, forced }) => {
  takeExternalId(context, externalKey);
  if (forced === 'failed') return DO_NOT_HONOR;
  const asked = await context.paymentRequests.find('ewallet', body.originalPartnerReferenceNo);
  if (asked === undefined) return TRANSACTION_NOT_FOUND;
  const over = receiptOf(asked, { status: 'canceled', paidAtMs: context.clock.now() });
  if (!(await context.receipts.add(over, undefined))) {
    const receipt = await context.receipts.find('ewallet', asked.referenceNo);
    if (receipt?.status === 'success') return PAID;
  }
  return forced === 'timeout' ? 'silence' : done({ originalPartnerReferenceNo: asked.reference });
});

/** POST /v1.0/debit/refund: gives back what was paid, or a part (SNAP 58). A refund's own reference is taken once. */
export const debitRefund = transaction(DEBIT_REFUND, refund, ewallet, async (context, { body, externalKey, forced }) => {
  takeExternalId(context, externalKey);
  if (forced === 'failed') return DO_NOT_HONOR;
  const asked = await context.paymentRequests.find('ewallet', body.originalPartnerReferenceNo);
  if (asked === undefined) return TRANSACTION_NOT_FOUND;
  const given = await context.refunds.give('ewallet', asked.referenceNo, body.partnerRefundNo, body.refundAmount);
  if (given === 'other-content') throw new SnapRefusal(409, '01', 'Conflict {partnerRefundNo}');
  if (given === 'too-much') return { http: 403, caseCode: '02', message: 'Exceeds Transaction Amount Limit' };
  if (forced === 'timeout') return 'silence';
  return done({ originalPartnerReferenceNo: asked.reference, refundNo: given.refundNo, partnerRefundNo: body.partnerRefundNo });
});

function stateOf(receipt: Receipt | undefined, isOver: boolean): object {
  if (receipt === undefined) {
    return isOver
      ? { latestTransactionStatus: '06', transactionStatusDesc: 'Expired' }
      : { latestTransactionStatus: '01', transactionStatusDesc: 'Initiated' };
  }
  switch (receipt.status) {
    case 'canceled':
      return { latestTransactionStatus: '05', transactionStatusDesc: 'Canceled' };
    case 'failed':
      return { latestTransactionStatus: '06', transactionStatusDesc: receipt.reason };
    case 'pending':
    case 'success':
      return receipt.refundedSen > 0n
        ? { latestTransactionStatus: '04', transactionStatusDesc: 'Refunded', paidTime: snapMoment(receipt.paidAtMs) }
        : { latestTransactionStatus: '00', transactionStatusDesc: 'Success', paidTime: snapMoment(receipt.paidAtMs) };
    default:
      return receipt.status satisfies never;
  }
}

function toPaymentRequest(body: z.output<typeof payment>, externalKey: string): PaymentRequest {
  return {
    rail: 'ewallet',
    reference: body.partnerReferenceNo,
    referenceNo: newUlid(Date.now()),
    externalKey,
    number: '',
    payload: '',
    amountSen: body.amount,
    bounds: undefined,
    tip: undefined,
    usageMax: 1,
    returnUrl: body.urlParams.find(({ type }) => type === 'PAY_RETURN')?.url ?? '',
    expiresAtMs: body.validUpTo,
    canceled: false,
  };
}
