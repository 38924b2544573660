import type { Verdict } from '../bank-transfer/beneficiary.ts';
import type { NewWithdrawal, Withdrawal } from './withdrawal.ts';

const SCHEMA = 1;

/** As it is stored, without its code. Times are business time. */
export type WithdrawalDocument = {
  _id: string;
  schema: number;
  merchant_reference: string;
  transaction_id: string;
  reference_no: string;
  bank_code: string;
  phone_number: string;
  amount_sen: bigint;
  code_salt: number;
  code_hash: string;
  outcome: 'success' | 'failed';
  failure_code: string;
  failure_message: string;
  /** Until then it is pending. */
  settles_at: Date;
  expires_at: Date;
  withdrawn_at?: Date;
  canceled_at?: Date;
};

/** What the bank adds to what it is asked for. */
export type Made = { referenceNo: string; codeSalt: number; codeHash: string; verdict: Verdict; nowMs: number };

export function toDocument(asked: NewWithdrawal, { referenceNo, codeSalt, codeHash, verdict, nowMs }: Made): WithdrawalDocument {
  return {
    _id: asked.reference,
    schema: SCHEMA,
    merchant_reference: asked.merchantReference,
    transaction_id: asked.transactionId,
    reference_no: referenceNo,
    bank_code: asked.bankCode,
    phone_number: asked.phoneNumber,
    amount_sen: asked.amountSen,
    code_salt: codeSalt,
    code_hash: codeHash,
    outcome: verdict.outcome,
    failure_code: verdict.outcome === 'failed' ? verdict.responseCode : '',
    failure_message: verdict.outcome === 'failed' ? verdict.message : '',
    settles_at: new Date(nowMs + verdict.afterMs),
    expires_at: new Date(asked.expiresAtMs),
  };
}

export function fromDocument(document: WithdrawalDocument, nowMs: number): Withdrawal {
  const status = statusOf(document, nowMs);
  return {
    reference: document._id,
    merchantReference: document.merchant_reference,
    transactionId: document.transaction_id,
    referenceNo: document.reference_no,
    bankCode: document.bank_code,
    phoneNumber: document.phone_number,
    amountSen: document.amount_sen,
    codeSalt: document.code_salt,
    expiresAtMs: document.expires_at.getTime(),
    withdrawnAtMs: document.withdrawn_at?.getTime(),
    status,
    failure: status === 'failed' ? { responseCode: document.failure_code, message: document.failure_message } : undefined,
  };
}

function statusOf(document: WithdrawalDocument, nowMs: number): Withdrawal['status'] {
  if (document.canceled_at !== undefined) return 'canceled';
  if (document.withdrawn_at !== undefined) return 'withdrawn';
  if (nowMs < document.settles_at.getTime()) return 'pending';
  if (document.outcome === 'failed') return 'failed';
  return nowMs >= document.expires_at.getTime() ? 'expired' : 'active';
}
