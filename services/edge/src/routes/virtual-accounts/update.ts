import { z } from 'zod';
import { numberAmount, orAbsent, textUpTo, unixMs } from '../../http/fields.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { maxUsage } from '../money-in-fields.ts';
import { dataOf } from './create.ts';

const body = z.object({
  name: orAbsent(textUpTo(200)),
  amount: orAbsent(numberAmount),
  min_amount: orAbsent(numberAmount),
  max_amount: orAbsent(numberAmount),
  expired_at: orAbsent(unixMs),
  max_usage: orAbsent(maxUsage),
});

/**
 * PUT virtual-accounts/{account_id}/{id}: the fields that the body has, of an active one (contract §5). Refusals: validation, and
 * those of money-in.
 */
export const updateVirtualAccount: Handler = async ({ virtualAccounts }, call) => {
  const { name, amount, min_amount, max_amount, expired_at, max_usage } = validate(body, call.body);
  const { virtualAccount } = await virtualAccounts.updateVirtualAccount({
    merchantId: call.caller.merchantId,
    accountId: call.params.account_id ?? '',
    id: call.params.id ?? '',
    ...(name !== undefined && { name }),
    ...(amount !== undefined && { amountSen: amount }),
    ...(min_amount !== undefined && { minAmountSen: min_amount }),
    ...(max_amount !== undefined && { maxAmountSen: max_amount }),
    ...(expired_at !== undefined && { expiredAtMs: expired_at }),
    ...(max_usage !== undefined && { maxUsage: max_usage }),
  });
  return { data: dataOf(virtualAccount) };
};
