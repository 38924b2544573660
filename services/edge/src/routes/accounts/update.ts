import { accountStatusOf } from '@gerbang/present';
import { AccountStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { z } from 'zod';
import { text } from '../../http/fields.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { dataOf } from './show.ts';

const body = z.object({
  name: text.optional(),
  status: z.enum(['active', 'inactive'], 'must be active or inactive').optional(),
});

/** PUT accounts/{account_id}: the fields that the body has (contract §4). Refusals: validation, those of the account, frozen. */
export const updateAccount: Handler = async ({ accounts }, call) => {
  const { name, status } = validate(body, call.body);
  const { account } = await accounts.updateAccount({
    merchantId: call.caller.merchantId,
    accountId: call.params.account_id ?? '',
    ...(name !== undefined && { name }),
    status: (status && accountStatusOf(status)) ?? AccountStatus.UNSPECIFIED,
  });
  return { data: dataOf(account) };
};
