import { accountSchema, accountStatusOf } from '@gerbang/present';
import { AccountStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { z } from 'zod';
import { ofAccount, prose } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { dataOf } from './show.ts';

const body = z.object({
  name: prose(100).meta({ description: 'What the merchant calls it. Blanks around it are dropped.' }).optional(),
  status: z
    .enum(['active', 'inactive'], 'must be active or inactive')
    .meta({ description: 'An inactive account refuses new transactions; reads stay allowed.' })
    .transform(accountStatusOf)
    .optional(),
});

/** PUT accounts/{account_id}: the fields that the body has (contract §4). Refusals: validation, those of the account, frozen. */
export const updateAccount = operation({
  id: 'updateAccount',
  summary: 'Change an account',
  description: 'Changes the fields that the body has. An inactive account is read only until it is active again.',
  input: z.object({ params: ofAccount, body }),
  data: accountSchema,
  refusals: ['frozen'],
  async handle({ accounts }, { caller, params, body: { name, status } }) {
    const { account } = await accounts.updateAccount({
      merchantId: caller.merchantId,
      accountId: params.account_id,
      ...(name !== undefined && { name }),
      status: status ?? AccountStatus.UNSPECIFIED,
    });
    return { data: dataOf(account) };
  },
});
