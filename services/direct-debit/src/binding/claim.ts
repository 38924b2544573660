import type { Context } from '../context.ts';
import { mustFindBinding } from './change.ts';
import type { StoredBinding } from './document.ts';

const ATTEMPTS_MAX = 5;

/**
 * Claims the customer's bank account: a merchant's customer has one binding of it. A claim of a binding that is over is taken over.
 * False where another binding has the account.
 */
export async function claimAccount(
  context: Pick<Context, 'bindings'>,
  { order }: StoredBinding,
  accountNumber: string,
): Promise<boolean> {
  const key = `${order.merchantId}:${order.customerId}:${order.bankCode}:${accountNumber}`;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const holder = await context.bindings.claim(key, order.id);
    if (holder === order.id) return true;
    const { status } = (await mustFindBinding(context, holder)).state;
    if (status === 'active' || status === 'connecting') return false;
    if (await context.bindings.takeOver(key, holder, order.id)) return true;
  }
  throw new Error('a bank account is claimed by one binding after the other');
}
