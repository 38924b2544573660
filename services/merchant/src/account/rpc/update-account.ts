import { isRefusal, RefusalError, refuse, refuseField } from '@gerbang/core';
import { AccountStatus, type UpdateAccountRequest } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { Context } from '../../context.ts';
import { mustFind } from '../../merchant/change-merchant.ts';
import { type AccountCommand, decide } from '../account.ts';
import { readName } from '../input.ts';
import { toMessage } from '../store.ts';
import { ownAccount } from './get-account.ts';

/** How often a change that somebody else was faster than is decided anew. */
const ATTEMPTS_MAX = 20;

/**
 * Changes an account's name or switches it on and off (contract §4). Refusals: validation (name, status), merchant_not_found, account_not_found,
 * account_of_other_merchant, frozen (the account or its merchant), unavailable (too much at once).
 */
export async function updateAccount(context: Context, request: UpdateAccountRequest) {
  const { merchantId, accountId } = request;
  const name = request.name === undefined ? undefined : readName(request.name);
  const command: AccountCommand = { type: 'update', name, active: activeOf(request.status) };
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const stored = await ownAccount(context, merchantId, accountId);
    if ((await mustFind(context, merchantId)).merchant.frozen) throw new RefusalError(refuse('frozen'));
    const nowMs = context.clock.now();
    const events = decide(stored.account, command, nowMs);
    if (isRefusal(events)) throw new RefusalError(events);
    const changed = events.length === 0 ? stored : await context.accounts.apply(stored, events, nowMs);
    if (changed === undefined) continue;
    if (events.length > 0) context.metrics.accountUpdated();
    return { account: toMessage(accountId, merchantId, changed.version, changed.account) };
  }
  throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }));
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
