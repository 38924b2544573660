import { RefusalError, refuse } from '@gerbang/core';
import { OtpResult, type VerifyChargeOtpRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { mustFindBinding } from '../../binding/change.ts';
import { type Context, DIRECT_DEBIT } from '../../context.ts';
import { otpRequest, verifyOtp } from '../../otp/ask.ts';
import { askOtp } from '../ask-otp.ts';
import { changeCharge } from '../change.ts';
import { contradicts, overRefusal } from '../charge.ts';
import type { StoredCharge } from '../document.ts';
import { toTransactionMessage } from '../message.ts';
import { findOwnCharge } from '../own.ts';
import { workOn } from '../place.ts';

/**
 * Gives the customer's OTP for a charge. One that has been given already is answered with the charge as it stands. Refusals:
 * transaction_not_found, transaction_failed (it is over, or needs none), product_not_allowed, frozen, unavailable.
 */
export async function verifyChargeOtp(context: Context, { merchantId, transactionId, otp }: VerifyChargeOtpRequest) {
  await context.merchants.admitProduct(merchantId, DIRECT_DEBIT);
  const charge = await findOwnCharge(context, merchantId, transactionId);
  await context.merchants.admit(merchantId, DIRECT_DEBIT, charge.order.accountId);
  if (charge.state.status === 'awaiting-otp' && context.clock.now() >= charge.state.otp.expiresAtMs)
    return answer(OtpResult.OVER, (await changeCharge(context, charge, { type: 'expire' })).charge);
  if (charge.state.status === 'created') throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }));
  if (contradicts(charge.state)) throw new RefusalError(overRefusal(charge.state));
  if (charge.state.status !== 'awaiting-otp') {
    if (charge.order.requiresOtp) return answer(OtpResult.ACCEPTED, charge);
    throw new RefusalError(refuse('transaction_failed', { message: 'This charge needs no OTP' }));
  }
  // The bank has never said that it has sent one, so it can't be right.
  if (charge.state.otp.chargeToken === undefined) return resend(context, charge);
  return attempt(context, charge, otp);
}

async function attempt(context: Context, charge: StoredCharge, otp: string) {
  const { charge: counted } = await changeCharge(context, charge, { type: 'count-attempt' });
  const { state, order } = counted;
  if (state.status !== 'awaiting-otp' || state.otp.chargeToken === undefined) return answer(OtpResult.OVER, counted);
  const binding = await mustFindBinding(context, order.bindingId);
  const chargeToken = await context.sealing.open('charge-token', order.id, state.otp.chargeToken);
  const request = await otpRequest(context, binding, 'charge', order.id);
  const said = await verifyOtp(context, binding, request, { chargeToken, otp });
  switch (said.outcome) {
    case 'accepted': {
      const { charge: accepted, isChanged } = await changeCharge(context, counted, { type: 'otp-accepted' });
      // The bank charges the account from here on by itself; what it says comes by webhook.
      if (isChanged) void workOn(context, accepted).catch(() => undefined);
      return answer(contradicts(accepted.state) ? OtpResult.OVER : OtpResult.ACCEPTED, accepted);
    }
    case 'wrong': {
      const { charge: after } = await changeCharge(context, counted, { type: 'otp-wrong' });
      return answer(OtpResult.WRONG, after);
    }
    case 'expired':
      return resend(context, counted);
    case 'blocked':
    case 'failed': {
      const { code, reason } = said;
      const failed = await changeCharge(context, counted, { type: 'fail', code, reason, send: undefined });
      return answer(OtpResult.OVER, failed.charge);
    }
    case 'unknown':
      // Nothing was charged: the request goes to the bank only after the OTP. The attempt counts all the same.
      if (state.otp.attemptsLeft === 0) await changeCharge(context, counted, { type: 'otp-wrong' });
      throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }), new Error(said.reason));
    default:
      return said satisfies never;
  }
}

async function resend(context: Context, charge: StoredCharge) {
  const after = await askOtp(context, charge, 'resend-otp');
  return answer(after.state.status === 'awaiting-otp' ? OtpResult.RESENT : OtpResult.OVER, after);
}

function answer(result: OtpResult, charge: StoredCharge) {
  const attemptsLeft = charge.state.status === 'awaiting-otp' ? charge.state.otp.attemptsLeft : 0;
  return { result, transaction: toTransactionMessage(charge), attemptsLeft };
}
