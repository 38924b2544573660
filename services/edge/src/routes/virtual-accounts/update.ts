import { virtualAccountSchema } from '@gerbang/present';
import { z } from 'zod';
import { numberAmount, orAbsent, prose, unixMs } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { maxUsage } from '../money-in-fields.ts';
import { dataOf } from './create.ts';
import { virtualAccountParams } from './show.ts';

const body = z.object({
  name: orAbsent(prose(200)).meta({ description: 'The name that customers see at their bank.' }),
  amount: orAbsent(numberAmount),
  min_amount: orAbsent(numberAmount),
  max_amount: orAbsent(numberAmount),
  expired_at: orAbsent(unixMs),
  max_usage: orAbsent(maxUsage).meta({ description: 'How often it may be paid.' }),
});

/**
 * PUT virtual-accounts/{account_id}/{id}: the fields that the body has, of an active one (contract §5). Refusals: validation, and
 * those of money-in.
 */
export const updateVirtualAccount = operation({
  id: 'updateVirtualAccount',
  summary: 'Change a virtual account',
  description: 'Changes the fields that the body has, of an active one. A field that is null stays as it is.',
  input: z.object({ params: virtualAccountParams, body }),
  data: virtualAccountSchema,
  refusals: ['transaction_not_found', 'frozen'],
  async handle({ virtualAccounts }, { caller, params, body: { name, amount, min_amount, max_amount, expired_at, max_usage } }) {
    const { virtualAccount } = await virtualAccounts.updateVirtualAccount({
      merchantId: caller.merchantId,
      accountId: params.account_id,
      id: params.id,
      ...(name !== undefined && { name }),
      ...(amount !== undefined && { amountSen: amount }),
      ...(min_amount !== undefined && { minAmountSen: min_amount }),
      ...(max_amount !== undefined && { maxAmountSen: max_amount }),
      ...(expired_at !== undefined && { expiredAtMs: expired_at }),
      ...(max_usage !== undefined && { maxUsage: max_usage }),
    });
    return { data: dataOf(virtualAccount) };
  },
});
