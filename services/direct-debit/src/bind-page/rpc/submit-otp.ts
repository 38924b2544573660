import { RefusalError, refuse } from '@gerbang/core';
import type { SubmitOtpRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { withinOr } from '@gerbang/runtime';
import { advanceBinding } from '../../binding/advance.ts';
import { changeBinding } from '../../binding/change.ts';
import type { StoredBinding } from '../../binding/document.ts';
import type { Context } from '../../context.ts';
import { otpRequest, verifyOtp } from '../../otp/ask.ts';
import { toPage } from '../page.ts';
import { findByPageToken } from '../page-token.ts';
import { resendBindOtp } from '../send-otp.ts';

/** The page shows that the bank is asked where it takes longer than that. */
const ANSWER_AFTER_MS = 3_000;

/**
 * The customer's OTP. With a right one the bank binds the account. Refusals: transaction_not_found, transaction_failed (too many
 * today), unavailable.
 */
export async function submitOtp(context: Context, { token, otp }: SubmitOtpRequest) {
  const binding = await findByPageToken(context, token);
  return { page: await toPage(context, await submit(context, binding, otp)) };
}

async function submit(context: Context, binding: StoredBinding, otp: string): Promise<StoredBinding> {
  const { state, order } = binding;
  if (state.status !== 'awaiting-otp') return binding;
  const nowMs = context.clock.now();
  if (nowMs >= order.expiresAtMs) return (await changeBinding(context, binding, { type: 'expire' })).binding;
  if (state.otp.chargeToken === undefined || nowMs >= state.otp.expiresAtMs) return resendBindOtp(context, binding, 'expired');
  const { binding: counted } = await changeBinding(context, binding, { type: 'count-attempt' });
  if (counted.state.status !== 'awaiting-otp' || counted.state.otp.chargeToken === undefined) return counted;
  const chargeToken = await context.sealing.open('charge-token', order.id, counted.state.otp.chargeToken);
  const given = { chargeToken, otp };
  const said = await verifyOtp(context, counted, await otpRequest(context, counted, 'bind', order.id), given);
  switch (said.outcome) {
    case 'accepted': {
      const { binding: accepted, isChanged } = await changeBinding(context, counted, { type: 'otp-accepted' });
      // The bank takes the customer's consent once: of two submissions only one goes on with it.
      return isChanged ? connect(context, accepted) : accepted;
    }
    case 'wrong':
      return (await changeBinding(context, counted, { type: 'otp-wrong' })).binding;
    case 'expired':
      return resendBindOtp(context, counted, 'expired');
    case 'blocked':
    case 'failed':
      return (await changeBinding(context, counted, { type: 'fail', at: 'awaiting-otp', reason: 'otp_failed' })).binding;
    case 'unknown':
      if (counted.state.otp.attemptsLeft === 0)
        return (await changeBinding(context, counted, { type: 'fail', at: 'awaiting-otp', reason: 'otp_failed' })).binding;
      throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }), new Error(said.reason));
    default:
      return said satisfies never;
  }
}

/** What the bank does not answer in time is left to the binding's timer. */
async function connect(context: Context, binding: StoredBinding): Promise<StoredBinding> {
  const running = advanceBinding(context, binding).catch((error: unknown) => {
    context.log.warn({ err: error, binding_id: binding.order.id }, 'a binding was left to its timer');
    return binding;
  });
  context.background.add(running);
  return withinOr(ANSWER_AFTER_MS, running, binding);
}
