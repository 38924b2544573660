import { historySchema } from '@gerbang/present';
import { z } from 'zod';
import { inAccount, numberInPath } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { dataOfHistory } from './fields.ts';

const params = inAccount({ history_id: numberInPath('`id` of the history.') });

/** GET payment-link-histories/{account_id}/{history_id}. Refusals: those of money-in. */
export const showHistory = operation({
  id: 'showPaymentLinkHistory',
  summary: 'Show an opening of a payment link',
  input: z.object({ params }),
  data: historySchema,
  refusals: ['transaction_not_found'],
  async handle({ paymentLinks }, { caller, params: { account_id: accountId, history_id: id } }) {
    const { paymentLinkHistory } = await paymentLinks.getPaymentLinkHistory({ merchantId: caller.merchantId, accountId, id });
    return { data: dataOfHistory(paymentLinkHistory) };
  },
});
