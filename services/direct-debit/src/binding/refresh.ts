import { callWithin } from '@gerbang/rails';
import type { Context } from '../context.ts';
import { customerOf } from '../otp/ask.ts';
import { sealTokens } from './advance.ts';
import { changeBinding } from './change.ts';
import type { StoredBinding } from './document.ts';
import type { ActiveState, UnboundBy } from './state.ts';

/**
 * Refreshes the customer's tokens. A refused refresh ends the binding when the bank does not take the access token either: a
 * refusal of our own signature, which looks the same, must not end the bindings of all customers.
 */
export async function refreshTokens(context: Context, binding: StoredBinding, state: ActiveState): Promise<void> {
  const { rail, railTimeoutMs, sealing, metrics, log } = context;
  const { id } = binding.order;
  const refreshToken = await sealing.open('customer-token', id, state.tokens.refreshToken);
  const said = await callWithin(railTimeoutMs, (signal) => rail.issueTokens({ refreshToken }, { signal }));
  switch (said.outcome) {
    case 'issued':
      metrics.tokensRefreshed('issued');
      await changeBinding(context, binding, { type: 'keep-tokens', tokens: await sealTokens(context, id, said) });
      return;
    case 'failed':
      metrics.tokensRefreshed('refused');
      log.warn({ binding_id: id, code: said.code }, "the bank refuses to refresh a customer's tokens");
      if ((await checkBinding(context, binding, 'token_refused')) !== 'gone')
        await changeBinding(context, binding, { type: 'wait' });
      return;
    case 'unknown':
      metrics.tokensRefreshed('unknown');
      await changeBinding(context, binding, { type: 'wait' });
      return;
    default:
      said satisfies never;
  }
}

/** Asks the bank whether it still knows an active binding, and ends it where it does not. */
export async function checkBinding(
  context: Context,
  binding: StoredBinding,
  by: UnboundBy,
): Promise<'found' | 'gone' | 'unknown'> {
  const { state, order } = binding;
  if (state.status !== 'active') return 'gone';
  const customer = await customerOf(context, order.id, state);
  const said = await callWithin(context.railTimeoutMs, (signal) => context.rail.findAccount(customer, order.id, { signal }));
  if (said.outcome === 'gone') await changeBinding(context, binding, { type: 'unbound', by });
  return said.outcome;
}
