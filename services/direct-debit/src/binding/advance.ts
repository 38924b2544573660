import { callWithin } from '@gerbang/rails';
import type { AccountResult, BindResult, TokenResult } from '@gerbang/rails/direct-debit';
import type { Context } from '../context.ts';
import { bindRequest, customerOf } from '../otp/ask.ts';
import { changeBinding } from './change.ts';
import { claimAccount } from './claim.ts';
import type { StoredBinding } from './document.ts';
import { CONNECTING_MAX_MS } from './schedule.ts';
import type { ActiveState, BindingCommand, BindingState } from './state.ts';

/** More steps than a binding can need: one that goes on is a fault. */
const STEPS_MAX = 10;

type Connecting = Extract<BindingState, { status: 'connecting' }>;

/**
 * Takes a binding as far as it goes without waiting: each step may be done again, and by two replicas at once. What the bank does
 * not answer is left to the timer.
 */
export async function advanceBinding(context: Context, binding: StoredBinding): Promise<StoredBinding> {
  let current = binding;
  for (let step = 0; step < STEPS_MAX; step++) {
    const command = await nextCommand(context, current);
    if (command === undefined) return current;
    const changed = await changeBinding(context, current, command);
    current = changed.binding;
    if (command.type === 'wait' || !changed.isChanged) return current;
  }
  throw new Error(`binding ${binding.order.id} does not come to rest`);
}

/** What the bank has said to the next step; undefined where there is nothing to do now. */
async function nextCommand(context: Context, binding: StoredBinding): Promise<BindingCommand | undefined> {
  const { state } = binding;
  switch (state.status) {
    case 'connecting':
      return connect(context, binding, state);
    case 'active':
      return state.unbinding?.stage === 'confirmed' ? unbind(context, binding, state) : undefined;
    case 'failed':
      return state.leftover && cleanUp(context, binding, state.leftover);
    case 'awaiting-consent':
    case 'awaiting-otp':
    case 'expired':
    case 'unbound':
      return undefined;
    default:
      return state satisfies never;
  }
}

/** The account's token, then the customer's tokens, then whose account it is; the last makes it active. */
async function connect(context: Context, binding: StoredBinding, state: Connecting): Promise<BindingCommand> {
  const { railTimeoutMs, sealing, clock, log } = context;
  const { id, expiresAtMs } = binding.order;
  const said = await callWithin(railTimeoutMs, (signal) => askNext(context, binding, state, signal));
  switch (said.outcome) {
    case 'bound': {
      const accountToken = await sealing.seal('account-token', id, said.accountToken);
      return { type: 'link', link: { accountToken, linkId: said.linkId } };
    }
    case 'issued':
      return { type: 'keep-tokens', tokens: await sealTokens(context, id, said) };
    case 'found': {
      const account = { number: said.accountNumber, name: said.accountName };
      const isOwn = await claimAccount(context, binding, account.number);
      return isOwn ? { type: 'activate', account } : { type: 'fail', at: 'connecting', reason: 'already_bound' };
    }
    case 'failed':
    case 'gone':
      log.warn({ binding_id: id, code: said.code, reason: said.reason }, 'the bank does not bind an account');
      return { type: 'fail', at: 'connecting', reason: 'bank_refused' };
    case 'pending':
    case 'unknown':
      if (said.outcome === 'unknown') log.warn({ binding_id: id, reason: said.reason }, 'a binding waits for its bank');
      return clock.now() > expiresAtMs + CONNECTING_MAX_MS
        ? { type: 'fail', at: 'connecting', reason: 'bank_refused' }
        : { type: 'wait' };
    default:
      return said satisfies never;
  }
}

/** What the bank has not given yet. */
async function askNext(
  context: Context,
  binding: StoredBinding,
  { authCode: sealed, link, tokens }: Connecting,
  signal: AbortSignal,
): Promise<BindResult | TokenResult | AccountResult> {
  const { rail, sealing } = context;
  const { id } = binding.order;
  const authCode = await sealing.open('auth-code', id, sealed);
  if (link === undefined)
    return rail.bind(await bindRequest(context, binding, { state: '', language: 'id' }), authCode, { signal });
  if (tokens === undefined) return rail.issueTokens({ authCode }, { signal });
  return rail.findAccount(await customerOf(context, id, { link, tokens }), id, { signal });
}

/** Ends it at the bank. A refusal leaves it active. */
async function unbind(context: Context, { order }: StoredBinding, { link, tokens }: ActiveState): Promise<BindingCommand> {
  const request = { partnerReference: order.id, linkId: link.linkId };
  const customer = await customerOf(context, order.id, { link, tokens });
  const said = await callWithin(context.railTimeoutMs, (signal) => context.rail.unbind(request, customer, { signal }));
  switch (said.outcome) {
    case 'unbound':
    case 'gone':
      return { type: 'unbound', by: 'merchant' };
    case 'failed':
      context.log.warn({ binding_id: order.id, code: said.code, reason: said.reason }, 'the bank does not end a binding');
      return { type: 'stop-unbinding', nonce: undefined };
    case 'unknown':
      return { type: 'wait' };
    default:
      return said satisfies never;
  }
}

/** The bank has bound an account whose binding has failed here: it is told so. Without tokens it ends there by itself. */
async function cleanUp(
  context: Context,
  { order }: StoredBinding,
  { link, tokens }: NonNullable<Extract<BindingState, { status: 'failed' }>['leftover']>,
): Promise<BindingCommand> {
  if (tokens === undefined) return { type: 'clean-up' };
  const request = { partnerReference: order.id, linkId: link.linkId };
  const customer = await customerOf(context, order.id, { link, tokens });
  const said = await callWithin(context.railTimeoutMs, (signal) => context.rail.unbind(request, customer, { signal }));
  return said.outcome === 'unknown' ? { type: 'wait' } : { type: 'clean-up' };
}

/** Sealed to their binding. The bank's moments are those of business time. */
export async function sealTokens(
  { sealing, clock }: Pick<Context, 'sealing' | 'clock'>,
  bindingId: string,
  given: { accessToken: string; refreshToken: string; expiresAtMs: number },
) {
  return {
    accessToken: await sealing.seal('customer-token', bindingId, given.accessToken),
    refreshToken: await sealing.seal('customer-token', bindingId, given.refreshToken),
    issuedAtMs: clock.now(),
    expiresAtMs: given.expiresAtMs,
  };
}
