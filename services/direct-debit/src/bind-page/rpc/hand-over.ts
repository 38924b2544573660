import { randomBytes } from 'node:crypto';
import type { HandOverRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { mustFindBinding } from '../../binding/change.ts';
import type { StoredBinding } from '../../binding/document.ts';
import type { Context } from '../../context.ts';
import { findByPageToken } from '../page-token.ts';

const CODE_BYTES = 32;

/**
 * Where the merchant wants its customer: its address with the binding's id, and once with an unguessable code, by which the
 * merchant knows the visit for the one of this binding. Refusals: transaction_not_found.
 */
export async function handOver(context: Context, { token }: HandOverRequest) {
  const binding = await findByPageToken(context, token);
  const { redirectUrl, id } = binding.order;
  if (redirectUrl === '' || !isOver(binding)) return { location: '' };
  const url = new URL(redirectUrl);
  url.searchParams.set('binding_id', id);
  const code = await giveCode(context, binding);
  if (code !== undefined) url.searchParams.set('handover_code', code);
  return { location: url.href };
}

/** Undefined where it was given before. */
async function giveCode(context: Context, binding: StoredBinding): Promise<string | undefined> {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  let current = binding;
  while (current.handoverCode === undefined) {
    const given = await context.bindings.handOver(current, code);
    if (given !== undefined) return code;
    current = await mustFindBinding(context, binding.order.id);
  }
  return undefined;
}

function isOver({ state: { status } }: StoredBinding): boolean {
  return status === 'active' || status === 'failed' || status === 'expired' || status === 'unbound';
}
