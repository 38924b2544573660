import { RefusalError, refuse } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { StoredBinding } from './document.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A merchant's own binding. Refusals: transaction_not_found. */
export async function findOwnBinding(
  { bindings }: Pick<Context, 'bindings'>,
  merchantId: string,
  bindingId: string,
): Promise<StoredBinding> {
  const found = isUuid(bindingId) ? await bindings.find(bindingId) : undefined;
  if (found?.order.merchantId !== merchantId) throw new RefusalError(refuse('transaction_not_found'));
  return found;
}
