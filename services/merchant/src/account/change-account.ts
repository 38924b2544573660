import { isRefusal, RefusalError } from '@gerbang/core';
import { retryConflicts } from '@gerbang/store';
import type { Context } from '../context.ts';
import { type Account, type AccountCommand, decide, evolve } from './account.ts';
import { ownAccount } from './rpc/get-account.ts';
import type { StoredAccount } from './store.ts';

/**
 * Changes an account of a merchant: decides on its newest state, and decides again when another writer was faster. A command that
 * changes nothing writes nothing, and `changed` is false. Refusals: account_not_found, account_of_other_merchant, unavailable
 * (too much at once), and the decider's.
 */
export async function changeAccount(
  context: Context,
  { merchantId, accountId }: { merchantId: string; accountId: string },
  command: AccountCommand,
  /**
   * `admit` may refuse before the decision. `beforeEffect` is called once a change is decided and before it is written: the audit
   * log.
   */
  steps: { admit?: () => Promise<void>; beforeEffect?: (before: StoredAccount, after: Account) => Promise<void> } = {},
): Promise<{ stored: StoredAccount; changed: boolean }> {
  return retryConflicts({
    read: () => ownAccount(context, merchantId, accountId),
    async write(stored) {
      await steps.admit?.();
      const nowMs = context.clock.now();
      const events = decide(stored.account, command, nowMs);
      if (isRefusal(events)) throw new RefusalError(events);
      if (events.length === 0) return { stored, changed: false };
      await steps.beforeEffect?.(stored, events.reduce(evolve, stored.account));
      const written = await context.accounts.apply(stored, events, nowMs);
      return written === undefined ? undefined : { stored: written, changed: true };
    },
  });
}
