import {
  encodeQris,
  isRefusal,
  NATIONAL_TAG,
  newUlid,
  parseAmount,
  QRIS_DOMAIN,
  type QrisTip,
  qrisNames,
  toMoney,
} from '@gerbang/core';
import { z } from 'zod';
import type { PaymentRequest } from '../payment-request/payment-request.ts';
import { cancelPayment } from '../qris-payment/cancel.ts';
import { QR_PAYMENT } from '../qris-payment/payment.ts';
import { paymentState } from '../qris-payment/state.ts';
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

export const QR_GENERATE = '47';
export const QR_QUERY = '51';
export const QR_CANCEL = '77';

const fixedTip = z.string().transform((value, problem): bigint => {
  const sen = parseAmount(value);
  if (sen !== undefined) return sen;
  problem.addIssue('out of bounds');
  return z.NEVER;
});
const generation = z.object({
  partnerReferenceNo: partnerReference,
  amount: snapAmountSen,
  merchantId: z.string().min(1).max(64),
  validityPeriod: snapTimeMs,
  additionalInfo: z.object({
    merchantName: z.string().min(1).max(255),
    merchantCity: z.string().max(255).default(''),
    tip: z
      .discriminatedUnion('indicator', [
        z.object({ indicator: z.literal('input') }),
        z.object({ indicator: z.literal('fixed'), value: fixedTip }),
        z.object({ indicator: z.literal('percentage'), basisPoints: z.number().int().min(1).max(9_999) }),
      ])
      .optional(),
  }),
});
const original = z.object({ originalPartnerReferenceNo: partnerReference });
/** Both codes that were made here and payments of codes are asked about. */
const query = original.extend({ serviceCode: z.string().default(QR_GENERATE) });

/** The sandbox's acquirer and its one merchant of the national repository: of the right shape, owned by no merchant. */
const ACQUIRER = { domain: 'ID.SANDBOX.WWW', pan: '936009990000000017', nmid: 'ID1020030040055' };
const CATEGORY = '5999';

const qris = () => 'qris' as const;

/**
 * POST /v1.0/qr/qr-mpm-generate: a code for one payment (SNAP 47). The same reference with the same content gives the same code.
 */
export const qrGenerate = transaction(QR_GENERATE, generation, qris, async (context, { body, externalKey, forced }) => {
  if (forced === 'failed') return DO_NOT_HONOR;
  const paymentRequest = toPaymentRequest(body, externalKey);
  const added = await context.paymentRequests.add(paymentRequest);
  if (added === 'external-id-used') throw new SnapRefusal(409, '00', 'Conflict');
  const code = added === 'added' ? paymentRequest : added;
  const isAlike = code.amountSen === paymentRequest.amountSen && code.expiresAtMs === paymentRequest.expiresAtMs;
  if (!isAlike) throw new SnapRefusal(409, '01', 'Conflict {partnerReferenceNo}');
  if (forced === 'timeout') return 'silence';
  return done({ referenceNo: code.referenceNo, partnerReferenceNo: code.reference, qrContent: code.payload });
});

/** POST /v1.0/qr/qr-mpm-query: how a code stands, or the payment of one (SNAP 51). */
export const qrQuery = transaction(QR_QUERY, query, qris, async (context, { body, externalKey }) => {
  takeExternalId(context, externalKey);
  if (body.serviceCode === QR_PAYMENT) return paymentState(context, body.originalPartnerReferenceNo);
  const code = await context.paymentRequests.find('qris', body.originalPartnerReferenceNo);
  if (code === undefined) return TRANSACTION_NOT_FOUND;
  const receipt = await context.receipts.find('qris', code.referenceNo);
  const isOver = code.expiresAtMs !== undefined && context.clock.now() >= code.expiresAtMs;
  return done({
    originalReferenceNo: code.referenceNo,
    originalPartnerReferenceNo: code.reference,
    serviceCode: QR_GENERATE,
    ...stateOf(receipt, isOver),
  });
});

/**
 * POST /v1.0/qr/qr-mpm-cancel: the code can't be paid any more (SNAP 77); 403 where it has been. Or a payment of a code is not made,
 * where the reference is that of one.
 */
export const qrCancel = transaction(QR_CANCEL, original, qris, async (context, { body, externalKey, forced }) => {
  takeExternalId(context, externalKey);
  if (forced === 'failed') return DO_NOT_HONOR;
  const code = await context.paymentRequests.find('qris', body.originalPartnerReferenceNo);
  if (code === undefined) {
    const answer = await cancelPayment(context, body.originalPartnerReferenceNo);
    return forced === 'timeout' ? 'silence' : answer;
  }
  const over = receiptOf(code, { status: 'canceled', paidAtMs: context.clock.now() });
  if (!(await context.receipts.add(over, undefined))) {
    const receipt = await context.receipts.find('qris', code.referenceNo);
    if (receipt?.status !== 'canceled') return PAID;
  }
  return forced === 'timeout' ? 'silence' : done({ originalPartnerReferenceNo: code.reference });
});

const PAID: SnapAnswer = { http: 403, caseCode: '00', message: 'Transaction Paid Already' };

function stateOf(receipt: Receipt | undefined, isOver: boolean): object {
  if (receipt === undefined) {
    return isOver
      ? { latestTransactionStatus: '06', transactionStatusDesc: 'Expired' }
      : { latestTransactionStatus: '01', transactionStatusDesc: 'Initiated' };
  }
  if (receipt.status === 'canceled') return { latestTransactionStatus: '05', transactionStatusDesc: 'Canceled' };
  const isRefunded = receipt.refundedSen > 0n;
  return {
    latestTransactionStatus: isRefunded ? '04' : '00',
    transactionStatusDesc: isRefunded ? 'Refunded' : 'Success',
    amount: toMoney(receipt.amountSen),
    paidTime: snapMoment(receipt.paidAtMs),
    additionalInfo: { tipAmount: toMoney(receipt.tipSen) },
  };
}

function toPaymentRequest(body: z.output<typeof generation>, externalKey: string): PaymentRequest {
  const { partnerReferenceNo: reference, amount: amountSen, additionalInfo } = body;
  const tip = toTip(additionalInfo.tip);
  const payload = encodeQris({
    type: 'mpm-dynamic',
    accounts: [
      { tag: '26', globallyUniqueId: ACQUIRER.domain, pan: ACQUIRER.pan, criteria: 'UMI', others: [] },
      { tag: NATIONAL_TAG, globallyUniqueId: QRIS_DOMAIN, merchantId: ACQUIRER.nmid, criteria: 'UMI', others: [] },
    ],
    merchantCategoryCode: CATEGORY,
    amountSen,
    tip,
    ...qrisNames(additionalInfo.merchantName, additionalInfo.merchantCity),
    additionalData: { referenceLabel: reference.slice(-25), others: [] },
    others: [],
  });
  if (isRefusal(payload)) throw new SnapRefusal(400, '01', `Invalid Field Format {${payload.message.slice(0, 100)}}`);
  return {
    rail: 'qris',
    reference,
    referenceNo: newUlid(Date.now()),
    externalKey,
    number: '',
    payload,
    amountSen,
    bounds: undefined,
    tip,
    usageMax: 1,
    returnUrl: '',
    expiresAtMs: body.validityPeriod,
    canceled: false,
  };
}

function toTip(tip: z.output<typeof generation>['additionalInfo']['tip']): QrisTip | undefined {
  return tip?.indicator === 'fixed' ? { indicator: 'fixed', amountSen: tip.value } : tip;
}
