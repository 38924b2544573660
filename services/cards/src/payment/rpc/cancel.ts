import { RefusalError, refuse } from '@gerbang/core';
import type { CancelRequest } from '@gerbang/proto/gerbang/cards/v1/cards';
import { withinOr } from '@gerbang/runtime';
import { CARD, type Context } from '../../context.ts';
import { advancePayment, workOn } from '../advance.ts';
import { changePayment } from '../change.ts';
import type { StoredPayment } from '../document.ts';
import { toPaymentMessage } from '../message.ts';
import { findOwnPayment } from '../own.ts';

/** How long the acquirer and the ledger have before the merchant has to ask again. */
const ANSWER_AFTER_MS = 8_000;

/**
 * Voids a payment that is not captured, refunds one that is. What was begun is finished, also where this call does not wait for it.
 * Refusals: product_not_allowed, account_not_found, account_of_other_merchant, frozen, transaction_not_found, transaction_failed,
 * insufficient_balance, unavailable, timeout.
 */
export async function cancel(context: Context, { merchantId, accountId, id }: CancelRequest) {
  await context.merchants.admit(merchantId, CARD, accountId);
  const found = await findOwnPayment(context, { merchantId, accountId, id });
  const { voidMs, refunds } = context.terms;
  const { payment } = await changePayment(context, await settled(context, found), { type: 'cancel', voidMs, refunds });
  const after = await withinOr(ANSWER_AFTER_MS, workOn(context, payment), payment);
  mustBeCancelled(after);
  return { payment: toPaymentMessage(after) };
}

/** What the ledger or the acquirer is at work on just now comes to rest first, so that it is certain where the money is. */
async function settled(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  switch (payment.state.status) {
    case 'capturing':
    case 'crediting':
    case 'settling':
    case 'returning':
      return advancePayment(context, payment);
    default:
      return payment;
  }
}

function mustBeCancelled({ state }: StoredPayment): void {
  switch (state.status) {
    case 'cancelled':
    case 'refunded':
      return;
    case 'authorised':
    case 'captured':
    case 'settled': {
      const { refused } = state;
      if (refused?.because === 'short-balance') throw new RefusalError(refuse('insufficient_balance'));
      throw new RefusalError(refuse('transaction_failed', { message: refused?.reason ?? 'The acquirer refuses it' }));
    }
    case 'voiding':
    case 'reserving':
    case 'refunding':
      throw new RefusalError(refuse('timeout', { message: 'The acquirer has not answered; ask again' }));
    default:
      throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }));
  }
}
