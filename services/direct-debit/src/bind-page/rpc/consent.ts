import { randomBytes } from 'node:crypto';
import { RefusalError, refuse } from '@gerbang/core';
import type { ConsentRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { callWithin } from '@gerbang/rails';
import { changeBinding } from '../../binding/change.ts';
import type { StoredBinding } from '../../binding/document.ts';
import type { Context } from '../../context.ts';
import { bindRequest } from '../../otp/ask.ts';
import { toPage } from '../page.ts';
import { findByPageToken } from '../page-token.ts';
import { sendBindOtp } from '../send-otp.ts';

const STATE_BYTES = 24;

/**
 * The customer agrees: the bank authorizes the binding and sends an OTP. A binding that is further stays as it is. Refusals:
 * transaction_not_found, unavailable (nothing has changed).
 */
export async function consent(context: Context, { token, language }: ConsentRequest) {
  const binding = await findByPageToken(context, token);
  const after = await giveConsent(context, binding, language === 'en' ? 'en' : 'id');
  return { page: await toPage(context, after) };
}

async function giveConsent(context: Context, binding: StoredBinding, language: string): Promise<StoredBinding> {
  if (binding.state.status !== 'awaiting-consent') return binding;
  if (context.clock.now() >= binding.order.expiresAtMs)
    return (await changeBinding(context, binding, { type: 'expire' })).binding;
  const { rail, railTimeoutMs, sealing, log } = context;
  const { id } = binding.order;
  // Unguessable and for this call only: the code is believed only together with it. SNAP's state has at most 32 characters.
  const state = randomBytes(STATE_BYTES).toString('base64url');
  const request = await bindRequest(context, binding, { state, language });
  const said = await callWithin(railTimeoutMs, (signal) => rail.authorize(request, { signal }));
  switch (said.outcome) {
    case 'authorized': {
      const authCode = await sealing.seal('auth-code', id, said.authCode);
      const { binding: agreed, isChanged } = await changeBinding(context, binding, { type: 'consent', authCode });
      return isChanged ? sendBindOtp(context, agreed) : agreed;
    }
    case 'failed':
      log.warn({ binding_id: id, code: said.code, reason: said.reason }, 'the bank does not authorize a binding');
      return (await changeBinding(context, binding, { type: 'fail', at: 'awaiting-consent', reason: 'bank_refused' })).binding;
    case 'unknown':
      throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }), new Error(said.reason));
    default:
      return said satisfies never;
  }
}
