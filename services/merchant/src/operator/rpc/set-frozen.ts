import type { SetFrozenRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { z } from 'zod';
import { changeAccount } from '../../account/change-account.ts';
import type { Context } from '../../context.ts';
import { commandMerchant } from '../command-merchant.ts';
import { describeAccount, describeChange } from '../describe.ts';
import { field, parse } from '../input.ts';

/**
 * Freezes or unfreezes a merchant, or one account of it. Refusals: validation, merchant_not_found, account_not_found,
 * account_of_other_merchant.
 */
export async function setFrozen(context: Context, request: SetFrozenRequest) {
  const { operator, merchantId, accountId, frozen } = parse(
    {
      operator: field.operator,
      merchantId: field.merchantId,
      accountId: z.union([z.literal(''), field.accountId]),
      frozen: z.boolean(),
    },
    request,
  );
  const verb = frozen ? 'freeze' : 'unfreeze';
  if (accountId === '') {
    await commandMerchant(context, { operator, command: `merchant.${verb}`, merchantId }, { type: 'set-frozen', frozen });
  } else {
    await setAccountFrozen(context, { operator, command: `account.${verb}`, merchantId, accountId, frozen });
  }
  return {};
}

type AccountOrder = { operator: string; command: string; merchantId: string; accountId: string; frozen: boolean };

async function setAccountFrozen(context: Context, order: AccountOrder): Promise<void> {
  const { operator, command, merchantId, accountId, frozen } = order;
  const { changed } = await changeAccount(
    context,
    { merchantId, accountId },
    { type: 'set-frozen', frozen },
    {
      async beforeEffect({ version, account }, after) {
        const change = describeChange(version, describeAccount(account), describeAccount(after));
        await context.audit.append({ operator, command, target: `account:${accountId}`, ...change }, context.realNow());
      },
    },
  );
  if (changed) context.metrics.commanded(command);
}
