import { isRefusal, type Refusal, RefusalError, refuse } from '@gerbang/core';
import { retryConflicts } from '@gerbang/store';
import type { Context } from '../context.ts';
import { decide, evolve, type Merchant, type MerchantCommand } from './merchant.ts';
import type { StoredMerchant } from './store.ts';

/** Called once a change is decided and before it takes effect; the audit log hooks in here. */
export type BeforeEffect = (before: StoredMerchant, after: Merchant) => Promise<void>;

/**
 * Changes a merchant: decides on its newest state, and decides again when another writer was faster. A command that changes
 * nothing writes nothing. Refusals: merchant_not_found, unavailable (too much at once), and the decider's.
 */
export async function changeMerchant(
  context: Pick<Context, 'merchants' | 'clock'>,
  merchantId: string,
  commandFor: (merchant: Merchant) => MerchantCommand | Refusal,
  beforeEffect?: BeforeEffect,
): Promise<StoredMerchant> {
  return retryConflicts({
    read: () => mustFind(context, merchantId),
    async write(stored) {
      const nowMs = context.clock.now();
      const command = commandFor(stored.merchant);
      if (isRefusal(command)) throw new RefusalError(command);
      const events = decide(stored.merchant, command, nowMs);
      if (isRefusal(events)) throw new RefusalError(events);
      if (events.length === 0) return stored;
      await beforeEffect?.(stored, events.reduce(evolve, stored.merchant));
      return context.merchants.apply(stored, events, nowMs);
    },
  });
}

/** A merchant that must be there. Refusals: merchant_not_found. */
export async function mustFind({ merchants }: Pick<Context, 'merchants'>, merchantId: string): Promise<StoredMerchant> {
  const stored = await merchants.find(merchantId);
  if (stored !== undefined) return stored;
  throw new RefusalError(refuse('merchant_not_found', { message: 'merchant_id: there is no such merchant' }));
}
