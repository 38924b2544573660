import { cardTransactionSchema, presentCardTransaction } from '@gerbang/present';
import { z } from 'zod';
import { inAccount } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { cardInPath } from './fields.ts';

/** GET /api/v2.0/card/{account_id}/inquiry-status/{id} (contract §7). Refusals: those of cards. */
export const showCardPayment = operation({
  id: 'showCardPayment',
  summary: 'Show a payment by card',
  input: z.object({ params: inAccount({ id: cardInPath }) }),
  data: cardTransactionSchema,
  refusals: ['transaction_not_found'],
  async handle({ cards }, { caller, params }) {
    const { payment } = await cards.getPayment({
      merchantId: caller.merchantId,
      accountId: params.account_id,
      id: params.id,
    });
    if (payment === undefined) throw new Error('cards answered no payment');
    return { data: presentCardTransaction(payment) };
  },
});
