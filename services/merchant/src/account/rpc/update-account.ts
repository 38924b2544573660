import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { AccountStatus, type UpdateAccountRequest } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { Context } from '../../context.ts';
import { mustFind } from '../../merchant/change-merchant.ts';
import type { AccountCommand } from '../account.ts';
import { changeAccount } from '../change-account.ts';
import { readName } from '../input.ts';
import { toMessage } from '../message.ts';

/**
 * Changes an account's name or switches it on and off (contract §4). Refusals: validation (name, status), merchant_not_found,
 * account_not_found, account_of_other_merchant, frozen (the account or its merchant), unavailable (too much at once).
 */
export async function updateAccount(context: Context, request: UpdateAccountRequest) {
  const { merchantId, accountId } = request;
  const name = request.name === undefined ? undefined : readName(request.name);
  const command: AccountCommand = { type: 'update', name, active: activeOf(request.status) };
  const { stored, changed } = await changeAccount(context, { merchantId, accountId }, command, {
    async admit() {
      if ((await mustFind(context, merchantId)).merchant.frozen) throw new RefusalError(refuse('frozen'));
    },
  });
  if (changed) context.metrics.accountUpdated();
  return { account: toMessage(accountId, merchantId, stored.version, stored.account) };
}

/** Whether the merchant wants it active; undefined to leave it. Freezing is the operators'. */
function activeOf(status: AccountStatus): boolean | undefined {
  switch (status) {
    case AccountStatus.UNSPECIFIED:
      return undefined;
    case AccountStatus.ACTIVE:
      return true;
    case AccountStatus.INACTIVE:
      return false;
    case AccountStatus.FROZEN:
      throw new RefusalError(refuseField('status', 'must be active or inactive'));
    default:
      return status satisfies never;
  }
}
