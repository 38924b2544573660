import type { MessageInitShape } from '@bufbuild/protobuf';
import { findBankByShortName } from '@gerbang/core';
import { type BindPageSchema, BindStep, OtpResult } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { StoredBinding } from '../binding/document.ts';
import type { BindingState } from '../binding/state.ts';
import type { Context } from '../context.ts';

/** What the customer sees of a binding. Once it is over nothing of the customer is shown any more. */
export async function toPage(
  { merchants }: Pick<Context, 'merchants'>,
  { order, state }: StoredBinding,
): Promise<MessageInitShape<typeof BindPageSchema>> {
  const { name } = await merchants.profile(order.merchantId);
  const otp = state.status === 'awaiting-otp' ? state.otp : undefined;
  const isOver = state.status === 'failed' || state.status === 'expired' || state.status === 'unbound';
  return {
    step: stepOf(state),
    bindingId: order.id,
    merchantName: name,
    bankCode: order.bankCode,
    bankName: findBankByShortName(order.bankCode)?.name ?? order.bankCode,
    customerPhoneEnd: isOver ? '' : order.phoneEnd,
    failedReason: state.status === 'failed' ? state.reason : '',
    bankAccountEnd: state.status === 'active' ? state.account.number.slice(-4) : '',
    otpAttemptsLeft: otp?.attemptsLeft ?? 0,
    otpResendsLeft: otp?.sendsLeft ?? 0,
    expiredAtMs: BigInt(order.expiresAtMs),
    ...(otp !== undefined && { otpExpiredAtMs: BigInt(otp.expiresAtMs) }),
    otpResult: otpResultOf(state),
    redirectUrl: order.redirectUrl,
  };
}

function stepOf({ status }: BindingState): BindStep {
  switch (status) {
    case 'awaiting-consent':
      return BindStep.CONSENT;
    case 'awaiting-otp':
      return BindStep.OTP;
    case 'connecting':
      return BindStep.CONNECTING;
    case 'active':
      return BindStep.BOUND;
    case 'failed':
      return BindStep.FAILED;
    // The address has done its work.
    case 'expired':
    case 'unbound':
      return BindStep.EXPIRED;
    default:
      return status satisfies never;
  }
}

function otpResultOf(state: BindingState): OtpResult {
  if (state.status !== 'awaiting-otp' || state.lastOtp === undefined) return OtpResult.UNSPECIFIED;
  return state.lastOtp === 'wrong' ? OtpResult.WRONG : OtpResult.RESENT;
}
