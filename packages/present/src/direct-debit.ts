import { toMoney, VA_BANK_CODES } from '@gerbang/core';
import {
  type Binding,
  BindingStatus as Binds,
  ChargeStatus as Charges,
  type OtpHandoff,
  type Refund,
  RefundStatus as Refunds,
  type Transaction,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { z } from 'zod';
import { BankShortName, Money, ReferenceNumber, Timestamp, Ulid } from './schemas.ts';
import { textOrNull, wordOf } from './text.ts';
import { iso, isoOrNull } from './time.ts';

export const DirectDebitBindingStatus = z.enum(['PENDING', 'ACTIVE', 'FAILED', 'EXPIRED', 'UNBOUND']).meta({
  id: 'DirectDebitBindingStatus',
  description: 'PENDING: the customer is yet to finish at webview_url; ACTIVE: the account can be charged.',
});

export const DirectDebitStatus = z.enum(['PENDING_OTP', 'PENDING', 'SUCCESS', 'FAILED', 'EXPIRED']).meta({
  id: 'DirectDebitStatus',
  description:
    'PENDING_OTP: the customer has an OTP to give; PENDING: the bank is asked; EXPIRED: the OTP was not given in time.',
});

const RefundStatus = z.enum(['PENDING', 'SUCCESS', 'FAILED']).meta({
  id: 'DirectDebitRefundStatus',
  description: 'PENDING: the bank is asked, and the amount is reserved; FAILED: the amount is back.',
});

const FAILED_REASONS = ['declined', 'bank_refused', 'otp_failed', 'already_bound'] as const;
const UNBOUND_BY = ['merchant', 'bank', 'token_refused'] as const;

const Uuid = z.uuid().meta({ description: 'A UUID.', examples: ['6f1c7b2e-5a7d-4c36-9d0c-0a4d1a3f9b52'] });
const MaskedNumber = z
  .string()
  .regex(/^\*{4}[0-9]{4}$/)
  .meta({ description: 'The last four digits.', examples: ['****7890'] });

export const directDebitBindingSchema = z
  .strictObject({
    binding_id: Uuid,
    account_id: Ulid,
    bank_code: BankShortName,
    customer_id: z.string().meta({ description: "The merchant's own id of the customer." }),
    customer_name: z.string(),
    customer_phone: MaskedNumber,
    status: DirectDebitBindingStatus,
    failed_reason: z
      .enum(FAILED_REASONS)
      .nullable()
      .meta({
        description:
          'declined: by the customer; bank_refused: the bank does not bind the account; otp_failed: no right OTP; ' +
          'already_bound: the customer has an active binding of this account.',
      }),
    unbound_by: z.enum(UNBOUND_BY).nullable().meta({
      description: 'bank: ended there; token_refused: the bank has stopped renewing its consent.',
    }),
    bank_account_number: MaskedNumber.nullable().meta({ description: 'The last four digits; null until it is bound.' }),
    bank_account_name: z.string().nullable(),
    redirect_url: z.string().nullable(),
    handover_code: z
      .string()
      .nullable()
      .meta({
        description:
          'What the customer brings back in `handover_code` of redirect_url, once; null until then. A visit with another code is ' +
          'not the one of this binding.',
      }),
    created_at: Timestamp,
    expired_at: Timestamp.meta({ description: 'Until when the customer can bind the account.' }),
    bound_at: Timestamp.nullable(),
    unbound_at: Timestamp.nullable(),
  })
  .meta({ id: 'DirectDebitBinding', description: "A customer's bank account, from which a merchant may charge." });

export const newDirectDebitBindingSchema = directDebitBindingSchema
  .extend({
    webview_url: z.string().meta({ description: 'Where the customer agrees and gives an OTP. It opens this binding only.' }),
  })
  .meta({ id: 'NewDirectDebitBinding', description: 'A binding, and where its customer goes on.' });

const otpHandoffSchema = z
  .strictObject({ token: z.string(), binding_id: Uuid, expired_at: Timestamp })
  .meta({ id: 'OtpHandoff', description: 'What verify-otp takes as `unbind_context`, as it is, once and within 5 minutes.' });

export const unbindSchema = z
  .strictObject({
    ...directDebitBindingSchema.shape,
    otp_required: z.boolean(),
    otp_handoff: otpHandoffSchema.nullable(),
  })
  .meta({ id: 'DirectDebitUnbinding', description: 'A binding that is to end; null without an OTP.' });

const refundFields = {
  refund_id: Uuid,
  reference_number: ReferenceNumber.meta({ description: "The merchant's reference of the refund, unique for its charge." }),
  amount: Money,
  status: RefundStatus,
  failed_code: z.string().nullable(),
  failed_reason: z.string().nullable(),
  created_at: Timestamp,
  processed_at: Timestamp.nullable(),
};

export const directDebitTransactionSchema = z
  .strictObject({
    transaction_id: Uuid,
    account_id: Ulid,
    binding_id: Uuid,
    reference_number: ReferenceNumber.meta({ description: "The merchant's reference, unique per account over its charges." }),
    bank_code: BankShortName,
    customer_id: z.string(),
    amount: Money,
    fee: Money.nullable().meta({ description: 'Null until it has succeeded.' }),
    net_amount: Money.nullable(),
    description: z.string().nullable(),
    status: DirectDebitStatus,
    requires_otp: z.boolean(),
    otp_attempts_left: z.int().nullable().meta({ description: 'Null unless an OTP is to be given.' }),
    otp_expired_at: Timestamp.nullable(),
    failed_code: z.string().nullable(),
    failed_reason: z.string().nullable(),
    has_settle: z.boolean(),
    settle_at: Timestamp.nullable(),
    refunded_amount: Money.meta({ description: 'What was refunded, pending refunds included.' }),
    refunds: z
      .array(z.strictObject(refundFields).meta({ id: 'DirectDebitRefundOfTransaction' }))
      .meta({ description: 'Oldest first.' }),
    created_at: Timestamp,
    processed_at: Timestamp.nullable(),
  })
  .meta({ id: 'DirectDebitTransaction', description: 'A charge of a bound bank account.' });

export const directDebitRefundSchema = z
  .strictObject({
    ...refundFields,
    transaction_id: Uuid,
    refunded_amount: Money.meta({ description: 'What was refunded of the charge by now, this one and pending ones included.' }),
  })
  .meta({ id: 'DirectDebitRefund', description: 'A refund of a charge.' });

export type DirectDebitBindingJson = z.output<typeof directDebitBindingSchema>;
export type DirectDebitTransactionJson = z.output<typeof directDebitTransactionSchema>;
export type DirectDebitRefundJson = z.output<typeof directDebitRefundSchema>;

export function presentDirectDebitBinding(binding: Binding): DirectDebitBindingJson {
  const { failedReason, unboundBy } = binding;
  return {
    binding_id: binding.bindingId,
    account_id: binding.accountId,
    bank_code: wordOf(VA_BANK_CODES, binding.bankCode, 'bank'),
    customer_id: binding.customerId,
    customer_name: binding.customerName,
    customer_phone: masked(binding.customerPhoneEnd),
    status: bindingWord(binding.status),
    failed_reason: failedReason === '' ? null : wordOf(FAILED_REASONS, failedReason, 'reason'),
    unbound_by: unboundBy === '' ? null : wordOf(UNBOUND_BY, unboundBy, 'side'),
    bank_account_number: binding.bankAccountEnd === '' ? null : masked(binding.bankAccountEnd),
    bank_account_name: textOrNull(binding.bankAccountName),
    redirect_url: textOrNull(binding.redirectUrl),
    handover_code: textOrNull(binding.handoverCode),
    created_at: iso(binding.createdAtMs),
    expired_at: iso(binding.expiredAtMs),
    bound_at: isoOrNull(binding.boundAtMs),
    unbound_at: isoOrNull(binding.unboundAtMs),
  };
}

/** The binding, and what verifying its OTP takes. */
export function presentUnbinding(
  binding: Binding,
  required: { otpRequired: boolean; otpHandoff: OtpHandoff | undefined },
): z.output<typeof unbindSchema> {
  const { otpRequired, otpHandoff } = required;
  const block = otpHandoff && {
    token: otpHandoff.token,
    binding_id: otpHandoff.bindingId,
    expired_at: iso(otpHandoff.expiredAtMs),
  };
  return { ...presentDirectDebitBinding(binding), otp_required: otpRequired, otp_handoff: block ?? null };
}

export function presentDirectDebitTransaction(transaction: Transaction): DirectDebitTransactionJson {
  const isCharged = transaction.status === Charges.SUCCESS;
  const awaitsOtp = transaction.status === Charges.PENDING_OTP;
  return {
    transaction_id: transaction.transactionId,
    account_id: transaction.accountId,
    binding_id: transaction.bindingId,
    reference_number: transaction.referenceNumber,
    bank_code: wordOf(VA_BANK_CODES, transaction.bankCode, 'bank'),
    customer_id: transaction.customerId,
    amount: toMoney(transaction.amountSen),
    fee: isCharged ? toMoney(transaction.feeSen) : null,
    net_amount: isCharged ? toMoney(transaction.netSen) : null,
    description: textOrNull(transaction.description),
    status: chargeWord(transaction.status),
    requires_otp: transaction.requiresOtp,
    otp_attempts_left: awaitsOtp ? transaction.otpAttemptsLeft : null,
    otp_expired_at: isoOrNull(transaction.otpExpiredAtMs),
    failed_code: textOrNull(transaction.failedCode),
    failed_reason: textOrNull(transaction.failedReason),
    has_settle: transaction.hasSettled,
    settle_at: isoOrNull(transaction.settleAtMs),
    refunded_amount: toMoney(transaction.refundedSen),
    refunds: transaction.refunds.map(presentRefundFields),
    created_at: iso(transaction.createdAtMs),
    processed_at: isoOrNull(transaction.processedAtMs),
  };
}

export function presentDirectDebitRefund(transaction: Transaction, refund: Refund): DirectDebitRefundJson {
  const refunded = { transaction_id: transaction.transactionId, refunded_amount: toMoney(transaction.refundedSen) };
  return { ...presentRefundFields(refund), ...refunded };
}

function presentRefundFields(refund: Refund) {
  return {
    refund_id: refund.refundId,
    reference_number: refund.referenceNumber,
    amount: toMoney(refund.amountSen),
    status: refundWord(refund.status),
    failed_code: textOrNull(refund.failedCode),
    failed_reason: textOrNull(refund.failedReason),
    created_at: iso(refund.createdAtMs),
    processed_at: isoOrNull(refund.finishedAtMs),
  };
}

const BINDING_STATUSES: Readonly<Record<z.output<typeof DirectDebitBindingStatus>, Binds>> = {
  PENDING: Binds.PENDING,
  ACTIVE: Binds.ACTIVE,
  FAILED: Binds.FAILED,
  EXPIRED: Binds.EXPIRED,
  UNBOUND: Binds.UNBOUND,
};

const CHARGE_STATUSES: Readonly<Record<z.output<typeof DirectDebitStatus>, Charges>> = {
  PENDING_OTP: Charges.PENDING_OTP,
  PENDING: Charges.PENDING,
  SUCCESS: Charges.SUCCESS,
  FAILED: Charges.FAILED,
  EXPIRED: Charges.EXPIRED,
};

/** The status behind a word, for list filters. */
export function directDebitBindingStatusOf(word: z.output<typeof DirectDebitBindingStatus>): Binds {
  return BINDING_STATUSES[word];
}

/** The status behind a word, for list filters. */
export function directDebitStatusOf(word: z.output<typeof DirectDebitStatus>): Charges {
  return CHARGE_STATUSES[word];
}

function bindingWord(status: Binds) {
  return wordOf(DirectDebitBindingStatus.options, Binds[status], 'status of a binding');
}

function chargeWord(status: Charges) {
  return wordOf(DirectDebitStatus.options, Charges[status], 'status of a charge');
}

function refundWord(status: Refunds) {
  return wordOf(RefundStatus.options, Refunds[status], 'status of a refund');
}

function masked(end: string): string {
  return `****${end.padStart(4, '0')}`;
}
