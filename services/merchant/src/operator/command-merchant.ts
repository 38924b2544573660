import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../context.ts';
import { changeMerchant } from '../merchant/change-merchant.ts';
import type { MerchantCommand } from '../merchant/merchant.ts';
import type { StoredMerchant } from '../merchant/store.ts';
import { describeChange, describeMerchant } from './describe.ts';

/** What is commanded, by its name in metrics, of which merchant. */
export type Order = { command: string; merchantId: string };

/**
 * Carries out an operator's command on a merchant, and records the change for the audit log. Refusals: merchant_not_found and the
 * decider's.
 */
export async function commandMerchant(
  context: Context,
  call: OperatorCall,
  order: Order,
  command: MerchantCommand,
): Promise<StoredMerchant> {
  const target = `merchant:${order.merchantId}`;
  const stored = await changeMerchant(
    context,
    order.merchantId,
    () => command,
    async (before, after) => {
      const change = describeChange(before.version, describeMerchant(before.merchant), describeMerchant(after));
      call.record({ target, ...change });
    },
  );
  context.metrics.commanded(order.command);
  return stored;
}
