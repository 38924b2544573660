import type { StoredPaymentDocument } from './document.ts';
import type { PaymentState } from './state.ts';

/** While it stands so it waits for the acquirer's answer to the same request. */
const SAME_REQUEST = new Set<PaymentState['status']>(['authorising', 'challenging']);

/** Since when the acquirer owes the answer that a payment in this state waits for; undefined where that begins only now, or not. */
export function waitingSinceMs(
  state: PaymentState,
  { status, asked_at, sent_at, created_at }: Pick<StoredPaymentDocument, 'status' | 'asked_at' | 'sent_at' | 'created_at'>,
): number | undefined {
  if (!('asked' in state)) return undefined;
  if (state.status !== status && !(SAME_REQUEST.has(state.status) && SAME_REQUEST.has(status))) return undefined;
  // Older programs have not stored it.
  return (asked_at ?? sent_at ?? created_at).getTime();
}
