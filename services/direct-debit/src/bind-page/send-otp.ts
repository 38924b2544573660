import { RefusalError } from '@gerbang/core';
import { changeBinding } from '../binding/change.ts';
import type { StoredBinding } from '../binding/document.ts';
import type { Context } from '../context.ts';
import { otpRequest, sendOtp } from '../otp/ask.ts';

/**
 * Has the bank send the OTP of a binding, which is counted already. Where the bank does not answer, the customer asks for another
 * one on the page.
 */
export async function sendBindOtp(context: Context, binding: StoredBinding): Promise<StoredBinding> {
  const { id } = binding.order;
  try {
    const sent = await sendOtp(context, binding, await otpRequest(context, binding, 'bind', id));
    switch (sent.outcome) {
      case 'sent': {
        const chargeToken = await context.sealing.seal('charge-token', id, sent.chargeToken);
        return (await changeBinding(context, binding, { type: 'otp-sent', chargeToken })).binding;
      }
      case 'blocked':
      case 'failed':
        context.log.warn({ binding_id: id, code: sent.code, reason: sent.reason }, 'the bank sends no OTP');
        return (await changeBinding(context, binding, { type: 'fail', at: 'awaiting-otp', reason: 'otp_failed' })).binding;
      case 'unknown':
        context.log.warn({ binding_id: id, reason: sent.reason }, 'the bank has not said that it has sent an OTP');
        return binding;
      default:
        return sent satisfies never;
    }
  } catch (error) {
    // Too many OTPs for the customer's day.
    if (error instanceof RefusalError && error.refusal.refused === 'transaction_failed')
      return (await changeBinding(context, binding, { type: 'fail', at: 'awaiting-otp', reason: 'otp_failed' })).binding;
    throw error;
  }
}

/** Sends another one, as often as there are any left. `because` is shown to the customer. */
export async function resendBindOtp(
  context: Context,
  binding: StoredBinding,
  because: 'expired' | undefined,
): Promise<StoredBinding> {
  const { binding: counted, isChanged } = await changeBinding(context, binding, { type: 'count-otp', because });
  return isChanged && counted.state.status === 'awaiting-otp' ? sendBindOtp(context, counted) : counted;
}
