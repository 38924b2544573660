import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { OtpResult, type VerifyUnbindOtpRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { type Context, DIRECT_DEBIT } from '../../context.ts';
import { otpRequest, verifyOtp } from '../../otp/ask.ts';
import { changeBinding } from '../change.ts';
import type { StoredBinding } from '../document.ts';
import { readHandoff } from '../handoff.ts';
import { toBindingMessage } from '../message.ts';
import { findOwnBinding } from '../own.ts';
import { finishUnbinding } from './unbind.ts';

/**
 * Gives the customer's OTP for an unbinding. A hand-over is taken once; after that it is refused as an invalid one. Refusals:
 * validation (unbind_context), transaction_not_found, transaction_failed, product_not_allowed, frozen, unavailable.
 */
export async function verifyUnbindOtp(context: Context, request: VerifyUnbindOtpRequest) {
  const { merchantId, bindingId, otp, otpHandoff } = request;
  await context.merchants.admitProduct(merchantId, DIRECT_DEBIT);
  const binding = await findOwnBinding(context, merchantId, bindingId);
  await context.merchants.admit(merchantId, DIRECT_DEBIT, binding.order.accountId);
  const nonce = await readHandoff(context.sealing, bindingId, otpHandoff, context.clock.now());
  if (openOtp(binding, nonce) === undefined) throw notOpen();
  const { binding: counted, isChanged } = await changeBinding(context, binding, { type: 'count-attempt' });
  const open = openOtp(counted, nonce);
  if (!isChanged || open?.chargeToken === undefined) throw notOpen();
  const chargeToken = await context.sealing.open('charge-token', bindingId, open.chargeToken);
  const given = { chargeToken, otp };
  const said = await verifyOtp(context, counted, await otpRequest(context, counted, 'unbind', bindingId), given);
  switch (said.outcome) {
    case 'accepted': {
      const { binding: accepted, isChanged: isFirst } = await changeBinding(context, counted, { type: 'otp-accepted' });
      // It stays active until the bank has ended it; the webhook says so.
      if (isFirst) finishUnbinding(context, accepted);
      return answer(OtpResult.ACCEPTED, accepted, 0);
    }
    case 'wrong': {
      const { binding: after } = await changeBinding(context, counted, { type: 'otp-wrong' });
      return answer(OtpResult.WRONG, after, openOtp(after, nonce)?.attemptsLeft ?? 0);
    }
    case 'expired':
    case 'blocked':
    case 'failed': {
      const { binding: after } = await changeBinding(context, counted, { type: 'stop-unbinding', nonce });
      return answer(OtpResult.OVER, after, 0);
    }
    case 'unknown':
      // The attempt counts all the same.
      if (open.attemptsLeft === 0) await changeBinding(context, counted, { type: 'otp-wrong' });
      throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }), new Error(said.reason));
    default:
      return said satisfies never;
  }
}

function openOtp({ state }: StoredBinding, nonce: string) {
  const unbinding = state.status === 'active' ? state.unbinding : undefined;
  return unbinding?.stage === 'otp' && unbinding.nonce === nonce ? unbinding.otp : undefined;
}

function notOpen(): RefusalError {
  return new RefusalError(refuseField('unbind_context', 'is not a valid otp_handoff of this binding, or is over'));
}

function answer(result: OtpResult, binding: StoredBinding, attemptsLeft: number) {
  return { result, binding: toBindingMessage(binding), attemptsLeft };
}
