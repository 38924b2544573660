import type { Context } from '../context.ts';
import { advanceBinding } from './advance.ts';
import { changeBinding } from './change.ts';
import type { StoredBinding } from './document.ts';
import { refreshTokens } from './refresh.ts';

/**
 * Takes up a binding whose timer has fired: one that its customer has left expires, one whose process has died goes on, and an
 * active one gets new tokens. Runs at least once; every step may be done again.
 */
export async function onBindingDue(context: Context, binding: StoredBinding): Promise<void> {
  const { state } = binding;
  switch (state.status) {
    case 'awaiting-consent':
    case 'awaiting-otp':
      await changeBinding(context, binding, { type: 'expire' });
      return;
    case 'active':
      if (state.unbinding?.stage === 'confirmed') await advanceBinding(context, binding);
      else await refreshTokens(context, binding, state);
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
