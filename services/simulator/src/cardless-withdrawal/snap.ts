import { toMoney } from '@gerbang/core';
import { z } from 'zod';
import { decisionOf } from '../bank-transfer/beneficiary.ts';
import {
  DO_NOT_HONOR,
  done,
  partnerReference,
  snapAmountSen,
  snapTimeMs,
  TRANSACTION_NOT_FOUND,
  takeExternalId,
} from '../money-in/snap-fields.ts';
import { type SnapAnswer, SnapRefusal } from '../snap/snap.ts';
import { transaction } from '../snap/transaction.ts';
import { type Withdrawals, withdrawalsOf } from './store.ts';
import type { NewWithdrawal, Withdrawal } from './withdrawal.ts';

// SNAP has no service that gives a customer cash for a code (44 runs the other way): these are of our own, with numbers that SNAP
// does not use.
export const CREATE_CODE = '91';
export const WITHDRAWAL_STATUS = '92';
export const CANCEL_CODE = '93';

/** What the partner calls it, kept beside the code. */
const ownName = z.string().min(1).max(64).optional();

const creation = z.object({
  partnerReferenceNo: partnerReference,
  amount: snapAmountSen,
  bankCode: z.string().min(1).max(8),
  customerPhone: z.string().regex(/^\+?[0-9]{8,15}$/),
  validUpTo: snapTimeMs,
  additionalInfo: z.object({ merchantReference: ownName, transactionId: ownName }).optional(),
});
const original = z.object({ originalPartnerReferenceNo: partnerReference, amount: snapAmountSen });

const cardless = () => 'cardless' as const;

/** SNAP's latestTransactionStatus. */
const STATUS = {
  pending: { latestTransactionStatus: '02', transactionStatusDesc: 'Paying' },
  active: { latestTransactionStatus: '03', transactionStatusDesc: 'Pending' },
  withdrawn: { latestTransactionStatus: '00', transactionStatusDesc: 'Success' },
  canceled: { latestTransactionStatus: '05', transactionStatusDesc: 'Canceled', cancelReason: 'CANCELED' },
  expired: { latestTransactionStatus: '05', transactionStatusDesc: 'Canceled', cancelReason: 'EXPIRED' },
  failed: { latestTransactionStatus: '06', transactionStatusDesc: 'Failed' },
} as const satisfies Record<Withdrawal['status'], object>;

/**
 * POST /v1.0/cardless-withdrawal/create-code: a code for the phone number's owner, as the number or the forced outcome says
 * (contract §11). The same request again is answered with what has become of the first one; another one under its reference, or
 * one after a cancellation of it, is 409.
 */
export const createCode = transaction(CREATE_CODE, creation, cardless, async (context, { body, externalKey, forced }) => {
  takeExternalId(context, externalKey);
  const asked = toNewWithdrawal(body);
  const { verdict, answers } = decisionOf(asked.phoneNumber, forced);
  const withdrawals = await withdrawalsOf(context);
  const made = await withdrawals.make(asked, verdict);
  if (!isFor(made, asked) || made.status === 'canceled') throw new SnapRefusal(409, '01', 'Conflict {partnerReferenceNo}');
  if (!answers) return 'silence';
  return made.failure === undefined ? stateOf(withdrawals, made) : refusalOf(made.failure);
});

/** POST /v1.0/cardless-withdrawal/status: how a withdrawal stands. A forced outcome changes nothing here. */
export const withdrawalStatus = transaction(WITHDRAWAL_STATUS, original, cardless, async (context, { body, externalKey }) => {
  takeExternalId(context, externalKey);
  const withdrawals = await withdrawalsOf(context);
  const found = await withdrawals.find(body.originalPartnerReferenceNo);
  return found === undefined ? TRANSACTION_NOT_FOUND : stateOf(withdrawals, found);
});

/**
 * POST /v1.0/cardless-withdrawal/cancel: from then on there is no cash for the code; answers how the withdrawal stands, also
 * where it was drawn or had expired before. A reference that is not known yet is canceled as well: a request that comes late
 * makes no code any more.
 */
export const cancelCode = transaction(CANCEL_CODE, original, cardless, async (context, { body, externalKey, forced }) => {
  takeExternalId(context, externalKey);
  if (forced === 'failed') return DO_NOT_HONOR;
  const withdrawals = await withdrawalsOf(context);
  const after = await withdrawals.cancel({ reference: body.originalPartnerReferenceNo, amountSen: body.amount });
  return forced === 'timeout' ? 'silence' : stateOf(withdrawals, after);
});

function stateOf(withdrawals: Withdrawals, withdrawal: Withdrawal): SnapAnswer {
  const { failure } = withdrawal;
  return done({
    originalPartnerReferenceNo: withdrawal.reference,
    originalReferenceNo: withdrawal.referenceNo,
    serviceCode: CREATE_CODE,
    amount: toMoney(withdrawal.amountSen),
    ...STATUS[withdrawal.status],
    ...(withdrawal.status === 'active' && { withdrawalCode: withdrawals.codeOf(withdrawal) }),
    ...(failure !== undefined && { transactionStatusDesc: failure.message, previousResponseCode: codeFor(failure.responseCode) }),
  });
}

function refusalOf({ responseCode, message }: { responseCode: string; message: string }): SnapAnswer {
  return { http: Number(responseCode.slice(0, 3)), caseCode: responseCode.slice(5), message };
}

/** The verdicts on beneficiaries are those of transfers: the same case, of this service. */
function codeFor(responseCode: string): string {
  return `${responseCode.slice(0, 3)}${CREATE_CODE}${responseCode.slice(5)}`;
}

function isFor(made: Withdrawal, asked: NewWithdrawal): boolean {
  const { amountSen, bankCode, phoneNumber, expiresAtMs } = asked;
  const isSameOrder = made.amountSen === amountSen && made.expiresAtMs === expiresAtMs;
  return isSameOrder && made.bankCode === bankCode && made.phoneNumber === phoneNumber;
}

function toNewWithdrawal(body: z.output<typeof creation>): NewWithdrawal {
  return {
    reference: body.partnerReferenceNo,
    merchantReference: body.additionalInfo?.merchantReference ?? body.partnerReferenceNo,
    transactionId: body.additionalInfo?.transactionId ?? body.partnerReferenceNo,
    bankCode: body.bankCode,
    phoneNumber: body.customerPhone,
    amountSen: body.amount,
    expiresAtMs: body.validUpTo,
  };
}
