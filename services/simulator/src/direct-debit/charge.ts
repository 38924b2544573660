import { toMoney } from '@gerbang/core';
import { z } from 'zod';
import { decideBy, type Verdict } from '../bank-transfer/beneficiary.ts';
import type { Context } from '../context.ts';
import { DIRECT_DEBIT_NOTIFY } from '../money-in/gateway.ts';
import { done, partnerReference, snapAmountSen, TRANSACTION_NOT_FOUND, takeExternalId } from '../money-in/snap-fields.ts';
import { snapMoment } from '../money-in/snap-time.ts';
import { type SnapAnswer, SnapRefusal } from '../snap/snap.ts';
import { type SnapCall, transaction } from '../snap/transaction.ts';
import { directDebit, INVALID_CUSTOMER, INVALID_CUSTOMER_TOKEN, OTP_REQUIRED } from './binding.ts';
import type { BankCharge } from './charges.ts';
import { directDebitBankOf } from './open.ts';

export const CHARGE = '54';
export const CHARGE_STATUS = '55';
export const REFUND = '58';

/** What is more than that, sen, needs an OTP (contract §8). */
const OTP_ABOVE_SEN = 500_000_00n;

const charging = z.object({
  partnerReferenceNo: partnerReference,
  bankCardToken: z.string().min(1).max(128),
  chargeToken: z.string().max(40).optional(),
  amount: snapAmountSen,
  additionalInfo: z.object({ merchantReference: z.string().min(1).max(64).optional() }).optional(),
});
const original = z.object({ originalPartnerReferenceNo: partnerReference });
const refunding = original.extend({ partnerRefundNo: partnerReference, refundAmount: snapAmountSen });

const REFUSED: Verdict = { outcome: 'failed', responseCode: '4035414', message: 'Insufficient Funds', afterMs: 0 };
const UNKNOWN: Verdict = { outcome: 'failed', responseCode: '4045411', message: 'Invalid Account', afterMs: 0 };

/**
 * POST /v1.0/debit/payment-host-to-host: takes the amount from a bound account (SNAP 54), as its customer's phone or the forced
 * outcome says (contract §11). An accepted one is told by the status service, and by a notification.
 */
export const charge = transaction(CHARGE, charging, directDebit, async (context, call) => {
  if (await isKnown(context, call.body)) throw new SnapRefusal(409, '01', 'Conflict {partnerReferenceNo}');
  if (context.inquiryIds.has(call.externalKey)) throw new SnapRefusal(409, '00', 'Conflict');
  const answer = await takeFrom(context, call);
  // Only now: where the database has failed nothing is known of the charge, and it is sent again under the same id.
  context.inquiryIds.take(call.externalKey);
  return answer;
});

async function isKnown(context: Context, body: z.output<typeof charging>): Promise<boolean> {
  const { charges } = await directDebitBankOf(context);
  return (await charges.find(body.partnerReferenceNo)) !== undefined;
}

async function takeFrom(context: Context, call: SnapCall<z.output<typeof charging>>): Promise<SnapAnswer | 'silence'> {
  const { body, forced, customerToken } = call;
  const { links, otps, charges } = await directDebitBankOf(context);
  const { partnerReferenceNo: reference, amount: amountSen } = body;
  const link = await links.findByAccountToken(body.bankCardToken);
  if (link === undefined || !link.isBound) return INVALID_CUSTOMER;
  if ((await links.findByAccessToken(customerToken))?.reference !== link.reference) return INVALID_CUSTOMER_TOKEN;
  if (amountSen > OTP_ABOVE_SEN && !(await otps.isVerified(reference, CHARGE))) return OTP_REQUIRED;
  const { verdict, answers } = decideBy(link.phone, forced, { refused: REFUSED, unknown: UNKNOWN });
  const merchantReference = body.additionalInfo?.merchantReference ?? reference;
  const asked = { reference, merchantReference, linkReference: link.reference, amountSen };
  if (!(await charges.add(asked, verdict))) throw new SnapRefusal(409, '01', 'Conflict {partnerReferenceNo}');
  if (!answers) return 'silence';
  const made = await charges.find(reference);
  if (made === undefined) throw new Error('a charge has vanished');
  if (made.status === 'failed') return refusalOf(made);
  void notify(context, made);
  return done({ referenceNo: made.referenceNo, partnerReferenceNo: reference });
}

/** POST /v1.0/debit/status: how a charge stands, with its refunds (SNAP 55). A forced outcome changes nothing here. */
export const chargeStatus = transaction(CHARGE_STATUS, original, directDebit, async (context, { body, externalKey }) => {
  takeExternalId(context, externalKey);
  const found = await (await directDebitBankOf(context)).charges.find(body.originalPartnerReferenceNo);
  if (found === undefined) return TRANSACTION_NOT_FOUND;
  return done({
    originalPartnerReferenceNo: found.reference,
    originalReferenceNo: found.referenceNo,
    serviceCode: CHARGE,
    transAmount: toMoney(found.amountSen),
    ...stateOf(found),
    refundHistory: found.refunds.map(({ reference, refundNo, amountSen, atMs }) => ({
      partnerRefundNo: reference,
      refundNo,
      refundAmount: toMoney(amountSen),
      refundStatus: '00',
      refundDate: snapMoment(atMs),
    })),
  });
});

/** POST /v1.0/debit/refund: gives back what was charged, or a part (SNAP 58). The same request again is answered the same. */
export const refund = transaction(REFUND, refunding, directDebit, async (context, { body, externalKey, forced }) => {
  const { originalPartnerReferenceNo: reference, partnerRefundNo, refundAmount } = body;
  // Its external id is that of the first send when it is sent again.
  context.inquiryIds.take(externalKey);
  if (forced === 'failed') return { http: 403, caseCode: '15', message: 'Transaction Not Permitted' };
  const given = await (await directDebitBankOf(context)).charges.refund(reference, {
    reference: partnerRefundNo,
    amountSen: refundAmount,
  });
  if (forced === 'timeout') return 'silence';
  switch (given.outcome) {
    case 'given': {
      const refunded = { refundNo: given.refundNo, partnerRefundNo, refundAmount: toMoney(refundAmount) };
      return done({ originalPartnerReferenceNo: reference, ...refunded, refundTime: snapMoment(given.atMs) });
    }
    case 'unknown':
      return TRANSACTION_NOT_FOUND;
    case 'not-paid':
      return { http: 404, caseCode: '00', message: 'Invalid Transaction Status' };
    case 'too-much':
      return { http: 403, caseCode: '02', message: 'Exceeds Transaction Amount Limit' };
    case 'other-content':
      return { http: 404, caseCode: '18', message: 'Inconsistent Request' };
    default:
      return given satisfies never;
  }
});

function stateOf({ status, failure, settlesAtMs, refunds, amountSen }: BankCharge): object {
  switch (status) {
    case 'pending':
      return { latestTransactionStatus: '03', transactionStatusDesc: 'Pending' };
    case 'failed':
      return {
        latestTransactionStatus: '06',
        transactionStatusDesc: failure.message,
        originalResponseCode: failure.responseCode,
      };
    case 'success': {
      const givenSen = refunds.reduce((sum, one) => sum + one.amountSen, 0n);
      const isBack = givenSen === amountSen;
      return {
        latestTransactionStatus: isBack ? '04' : '00',
        transactionStatusDesc: isBack ? 'Refunded' : 'Success',
        paidTime: snapMoment(settlesAtMs),
      };
    }
    default:
      return status satisfies never;
  }
}

function refusalOf({ failure }: BankCharge): SnapAnswer {
  const { responseCode, message } = failure;
  return { http: Number(responseCode.slice(0, 3)), caseCode: responseCode.slice(5), message };
}

/** A notification that is lost is not repeated: the gateway asks for what it has not heard of. */
async function notify({ gateway, log }: Context, made: BankCharge): Promise<void> {
  const answer = await gateway.call('direct-debit', DIRECT_DEBIT_NOTIFY, {
    originalReferenceNo: made.referenceNo,
    originalPartnerReferenceNo: made.reference,
    latestTransactionStatus: '00',
    transactionStatusDesc: 'Success',
    amount: toMoney(made.amountSen),
    finishedTime: snapMoment(made.settlesAtMs),
  });
  if (answer.outcome !== 'done') log.warn({ reference: made.reference, outcome: answer.outcome }, 'a charge was not taken');
}
