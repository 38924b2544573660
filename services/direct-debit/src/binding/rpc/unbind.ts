import { randomBytes } from 'node:crypto';
import { RefusalError, refuse } from '@gerbang/core';
import type { UnbindRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { type Context, DIRECT_DEBIT } from '../../context.ts';
import { otpRequest, sendOtp } from '../../otp/ask.ts';
import { advanceBinding } from '../advance.ts';
import { changeBinding } from '../change.ts';
import type { StoredBinding } from '../document.ts';
import { writeHandoff } from '../handoff.ts';
import { toBindingMessage } from '../message.ts';
import { findOwnBinding } from '../own.ts';

const NONCE_BYTES = 16;

/**
 * Begins to end a binding: the customer gets an OTP where the bank wants one, and every call makes the hand-over of the one before
 * invalid. Refusals: product_not_allowed, transaction_not_found, transaction_failed, frozen, unavailable.
 */
export async function unbind(context: Context, { merchantId, bindingId }: UnbindRequest) {
  await context.merchants.admitProduct(merchantId, DIRECT_DEBIT);
  const binding = await findOwnBinding(context, merchantId, bindingId);
  await context.merchants.admit(merchantId, DIRECT_DEBIT, binding.order.accountId);
  const { state } = binding;
  const isConfirmed = state.status === 'active' && state.unbinding?.stage === 'confirmed';
  if (!context.unbindNeedsOtp || isConfirmed) return unbindNow(context, binding);
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  const { binding: begun } = await changeBinding(context, binding, { type: 'begin-unbinding', nonce });
  const sent = await sendOtp(context, begun, await otpRequest(context, begun, 'unbind', bindingId));
  switch (sent.outcome) {
    case 'sent':
      break;
    case 'blocked':
    case 'failed':
      await changeBinding(context, begun, { type: 'stop-unbinding', nonce });
      throw new RefusalError(refuse('transaction_failed', { message: `The bank sends no OTP: ${sent.reason}` }));
    case 'unknown':
      throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }), new Error(sent.reason));
    default:
      sent satisfies never;
  }
  if (sent.outcome !== 'sent') throw new Error('an OTP that was not sent has been refused');
  const chargeToken = await context.sealing.seal('charge-token', bindingId, sent.chargeToken);
  const { binding: after } = await changeBinding(context, begun, { type: 'otp-sent', chargeToken });
  const unbinding = after.state.status === 'active' ? after.state.unbinding : undefined;
  if (unbinding?.stage !== 'otp' || unbinding.nonce !== nonce)
    throw new RefusalError(refuse('transaction_failed', { message: 'The binding is being ended by another request' }));
  const otpHandoff = await writeHandoff(context.sealing, bindingId, nonce, unbinding.otp.expiresAtMs);
  return { binding: toBindingMessage(after), otpRequired: true, otpHandoff };
}

/** Without an OTP the bank is asked at once; the webhook brings its answer. */
async function unbindNow(context: Context, binding: StoredBinding) {
  const { binding: after, isChanged } = await changeBinding(context, binding, { type: 'unbind-now' });
  if (isChanged) finishUnbinding(context, after);
  return { binding: toBindingMessage(after), otpRequired: false, otpHandoff: undefined };
}

/** What fails is left to the binding's timer. */
export function finishUnbinding(context: Context, binding: StoredBinding): void {
  const running = advanceBinding(context, binding).catch((error: unknown) =>
    context.log.warn({ err: error, binding_id: binding.order.id }, 'an unbinding was left to its timer'),
  );
  context.background.add(running);
}
