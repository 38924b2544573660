import { create } from '@bufbuild/protobuf';
import { VA_BANK_CODES } from '@gerbang/core';
import {
  BindingSchema,
  BindingStatus,
  ChargeStatus,
  RefundSchema,
  RefundStatus,
  TransactionSchema,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import fc from 'fast-check';
import { at, digits, maybe, reference, sen, text, ulid } from './protos.ts';

// Messages of direct debit as they can be, as protos.ts has those of the other products.

const uuid = fc.uuid();
const bankCode = fc.constantFrom(...VA_BANK_CODES);
const end = digits(4, 4);

export const BINDING_STATUSES = [
  BindingStatus.PENDING,
  BindingStatus.ACTIVE,
  BindingStatus.FAILED,
  BindingStatus.EXPIRED,
  BindingStatus.UNBOUND,
];
export const CHARGE_STATUSES = [
  ChargeStatus.PENDING_OTP,
  ChargeStatus.PENDING,
  ChargeStatus.SUCCESS,
  ChargeStatus.FAILED,
  ChargeStatus.EXPIRED,
];
export const REFUND_STATUSES = [RefundStatus.PENDING, RefundStatus.SUCCESS, RefundStatus.FAILED];

export const binding = (status: BindingStatus) =>
  fc
    .record({
      bindingId: uuid,
      accountId: ulid,
      bankCode,
      customerId: text,
      customerName: text,
      customerPhoneEnd: end,
      status: fc.constant(status),
      failedReason: fc.constantFrom('', 'declined', 'bank_refused', 'otp_failed', 'already_bound'),
      unboundBy: fc.constantFrom('', 'merchant', 'bank', 'token_refused'),
      bankAccountEnd: fc.oneof(fc.constant(''), end),
      bankAccountName: text,
      createdAtMs: at,
      expiredAtMs: at,
      boundAtMs: maybe(at),
      unboundAtMs: maybe(at),
      handoverCode: text,
      redirectUrl: text,
    })
    .map(({ boundAtMs, unboundAtMs, ...fields }) =>
      create(BindingSchema, {
        ...fields,
        ...(boundAtMs !== undefined && { boundAtMs }),
        ...(unboundAtMs !== undefined && { unboundAtMs }),
      }),
    );

export const refund = (status: RefundStatus) =>
  fc
    .record({
      refundId: uuid,
      referenceNumber: reference,
      amountSen: sen,
      status: fc.constant(status),
      createdAtMs: at,
      finishedAtMs: maybe(at),
      failedCode: text,
      failedReason: text,
    })
    .map(({ finishedAtMs, ...fields }) =>
      create(RefundSchema, { ...fields, ...(finishedAtMs !== undefined && { finishedAtMs }) }),
    );

export const transaction = (status: ChargeStatus) =>
  fc
    .record({
      transactionId: uuid,
      accountId: ulid,
      bindingId: uuid,
      referenceNumber: reference,
      bankCode,
      customerId: text,
      amountSen: sen,
      feeSen: fc.bigInt({ min: 0n, max: 999_999n }),
      netSen: sen,
      description: text,
      status: fc.constant(status),
      requiresOtp: fc.boolean(),
      otpAttemptsLeft: fc.integer({ min: 0, max: 3 }),
      otpExpiredAtMs: maybe(at),
      failedCode: text,
      failedReason: text,
      createdAtMs: at,
      processedAtMs: maybe(at),
      settleAtMs: maybe(at),
      hasSettled: fc.boolean(),
      refundedSen: fc.oneof(fc.constant(0n), sen),
      refunds: fc.array(fc.oneof(...REFUND_STATUSES.map(refund)), { maxLength: 3 }),
    })
    .map(({ otpExpiredAtMs, processedAtMs, settleAtMs, ...fields }) =>
      create(TransactionSchema, {
        ...fields,
        ...(otpExpiredAtMs !== undefined && { otpExpiredAtMs }),
        ...(processedAtMs !== undefined && { processedAtMs }),
        ...(settleAtMs !== undefined && { settleAtMs }),
      }),
    );
