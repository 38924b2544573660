import type { SetFrozenRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
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
export async function setFrozen(context: Context, request: SetFrozenRequest, call: OperatorCall) {
  const { merchantId, accountId, frozen } = parse(
    {
      merchantId: field.merchantId,
      accountId: z.union([z.literal(''), field.accountId]),
      frozen: z.boolean(),
    },
    request,
  );
  const verb = frozen ? 'freeze' : 'unfreeze';
  if (accountId === '') {
    await commandMerchant(context, call, { command: `merchant.${verb}`, merchantId }, { type: 'set-frozen', frozen });
  } else {
    await setAccountFrozen(context, call, { command: `account.${verb}`, merchantId, accountId, frozen });
  }
  return {};
}

type AccountOrder = { command: string; merchantId: string; accountId: string; frozen: boolean };

async function setAccountFrozen(context: Context, call: OperatorCall, order: AccountOrder): Promise<void> {
  const { command, merchantId, accountId, frozen } = order;
  const { changed } = await changeAccount(
    context,
    { merchantId, accountId },
    { type: 'set-frozen', frozen },
    {
      async beforeEffect({ version, account }, after) {
        const change = describeChange(version, describeAccount(account), describeAccount(after));
        call.record({ target: `account:${accountId}`, ...change });
      },
    },
  );
  if (changed) context.metrics.commanded(command);
}
