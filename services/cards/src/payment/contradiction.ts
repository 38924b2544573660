import type { InquiryResult } from '@gerbang/rails/card';
import type { Context } from '../context.ts';
import { changePayment } from './change.ts';
import type { StoredPayment } from './document.ts';
import type { PaymentCommand } from './state.ts';

/** What the acquirer says, as far as it can contradict something. */
export type Said =
  | { outcome: Exclude<InquiryResult['outcome'], 'failed'> }
  | Pick<Extract<InquiryResult, { outcome: 'failed' }>, 'outcome' | 'code' | 'reason'>;

/**
 * Writes what the acquirer's answer means. Where the payment has changed meanwhile, as by operators who could not wait for the
 * answer, the answer may contradict how it now stands: that is followed, and operators are alerted.
 */
export async function takeWord(
  context: Context,
  payment: StoredPayment,
  command: PaymentCommand,
  said: Said,
): Promise<StoredPayment> {
  const changed = await changePayment(context, payment, command);
  const contradiction = changed.isChanged ? undefined : contradictionIn(changed.payment, said);
  return contradiction === undefined ? changed.payment : (await changePayment(context, changed.payment, contradiction)).payment;
}

/** What contradicts how the payment stands here; undefined where nothing does. */
export function contradictionIn({ state }: Pick<StoredPayment, 'state'>, said: Said): PaymentCommand | undefined {
  const { outcome } = said;
  switch (state.status) {
    case 'failed':
      return outcome === 'authorised' || outcome === 'captured' ? { type: 'late-authorised' } : undefined;
    case 'authorised':
      if (outcome === 'failed') return { type: 'lose', code: said.code, reason: said.reason };
      return outcome === 'voided' || outcome === 'refunded'
        ? { type: 'lose', code: 'VOIDED', reason: 'The acquirer has given it up' }
        : undefined;
    case 'captured':
    case 'settled':
      return outcome === 'failed' || outcome === 'voided' || outcome === 'refunded'
        ? { type: 'withdraw', said: outcome, reason: `The acquirer says that it is ${outcome}` }
        : undefined;
    default:
      return undefined;
  }
}
