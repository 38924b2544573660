import { cardCancelSchema, presentCardCancel } from '@gerbang/present';
import { z } from 'zod';
import { inAccount } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { cardInPath, TIMEOUT_MS } from './fields.ts';

/** POST /api/v2.0/card/{account_id}/cancel/{id} (contract §7). Refusals: those of cards. */
export const cancelCardPayment = operation({
  id: 'cancelCardPayment',
  summary: 'Void or refund a payment by card',
  description:
    'Before the capture the payment is voided, and no money moves. After it the gross amount is refunded: from pending while it has ' +
    'not settled, with the fee from available, else from available; SP003 where that is short. The fee is not returned. A second ' +
    'cancel answers the first result. SP005: the acquirer has not answered yet; ask again.',
  input: z.object({ params: inAccount({ id: cardInPath }) }),
  data: cardCancelSchema,
  refusals: ['transaction_not_found', 'transaction_failed', 'insufficient_balance', 'frozen'],
  async handle({ cards }, { caller, params }) {
    const wanted = { merchantId: caller.merchantId, accountId: params.account_id, id: params.id };
    const { payment } = await cards.cancel(wanted, { timeoutMs: TIMEOUT_MS });
    if (payment === undefined) throw new Error('cards answered no payment');
    return { data: presentCardCancel(payment) };
  },
});
