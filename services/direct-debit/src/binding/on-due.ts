import type { Context } from '../context.ts';
import { advanceBinding } from './advance.ts';
import { changeBinding } from './change.ts';
import type { StoredBinding } from './document.ts';
import { refreshTokens } from './refresh.ts';
import type { ActiveState } from './state.ts';

/**
 * Takes up a binding whose timer has fired: one that its customer has left expires, one whose process has died goes on, an
 * active one gets new tokens, and the end of one that lacks its OTP is off. Runs at least once; every step may be done again.
 */
export async function onBindingDue(context: Context, binding: StoredBinding): Promise<void> {
  const { state } = binding;
  switch (state.status) {
    case 'awaiting-consent':
    case 'awaiting-otp':
      await changeBinding(context, binding, { type: 'expire' });
      return;
    case 'active':
      await onActiveDue(context, binding, state);
      return;
    case 'connecting':
    case 'failed':
      await advanceBinding(context, binding);
      return;
    case 'expired':
    case 'unbound':
      return;
    default:
      state satisfies never;
  }
}

/** An end that is confirmed goes on; one whose OTP was not given in time is off. */
async function onActiveDue(context: Context, binding: StoredBinding, state: ActiveState): Promise<void> {
  const { unbinding } = state;
  if (unbinding?.stage === 'confirmed') await advanceBinding(context, binding);
  else if (unbinding !== undefined && context.clock.now() >= unbinding.otp.expiresAtMs)
    await changeBinding(context, binding, { type: 'stop-unbinding', nonce: unbinding.nonce });
  else await refreshTokens(context, binding, state);
}
