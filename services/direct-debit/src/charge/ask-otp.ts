import { RefusalError } from '@gerbang/core';
import type { SendOtpResult } from '@gerbang/rails/direct-debit';
import { mustFindBinding } from '../binding/change.ts';
import type { Context } from '../context.ts';
import { otpRequest, sendOtp } from '../otp/ask.ts';
import { changeCharge } from './change.ts';
import type { StoredCharge } from './document.ts';

/**
 * Has the bank send an OTP for a charge, for the first time or again. It is counted first; where the bank does not answer, the
 * customer's first attempt asks for another one.
 */
export async function askOtp(context: Context, charge: StoredCharge, as: 'ask-otp' | 'resend-otp'): Promise<StoredCharge> {
  const counted = await changeCharge(context, charge, { type: as });
  if (!counted.isChanged || counted.charge.state.status !== 'awaiting-otp') return counted.charge;
  const sent = await trySend(context, counted.charge);
  switch (sent.outcome) {
    case 'sent': {
      const chargeToken = await context.sealing.seal('charge-token', charge.order.id, sent.chargeToken);
      return (await changeCharge(context, counted.charge, { type: 'otp-sent', chargeToken })).charge;
    }
    case 'blocked':
    case 'failed': {
      const { code, reason } = sent;
      return (await changeCharge(context, counted.charge, { type: 'fail', code, reason, send: undefined })).charge;
    }
    case 'unknown':
      context.log.warn({ transaction_id: charge.order.id, reason: sent.reason }, 'the bank has not said that it has sent an OTP');
      return counted.charge;
    default:
      return sent satisfies never;
  }
}

/** Too many OTPs for the customer's day end the charge. */
async function trySend(context: Context, charge: StoredCharge): Promise<SendOtpResult> {
  const binding = await mustFindBinding(context, charge.order.bindingId);
  try {
    return await sendOtp(context, binding, await otpRequest(context, binding, 'charge', charge.order.id));
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === 'transaction_failed')
      return { outcome: 'failed', code: 'OTP', reason: error.refusal.message };
    throw error;
  }
}
