import type { Context } from '../context.ts';
import { changeMerchant } from '../merchant/change-merchant.ts';
import type { MerchantCommand } from '../merchant/merchant.ts';
import type { StoredMerchant } from '../merchant/store.ts';
import { describeChange, describeMerchant } from './describe.ts';

/** Who gives a command, by which name, to which merchant. */
export type Order = { operator: string; command: string; merchantId: string };

/**
 * Carries out an operator's command on a merchant; the audit log has it before it takes effect. Refusals: merchant_not_found and
 * the decider's.
 */
export async function commandMerchant(context: Context, order: Order, command: MerchantCommand): Promise<StoredMerchant> {
  const target = `merchant:${order.merchantId}`;
  const stored = await changeMerchant(
    context,
    order.merchantId,
    () => command,
    async (before, after) => {
      const change = describeChange(before.version, describeMerchant(before.merchant), describeMerchant(after));
      await context.audit.append({ operator: order.operator, command: order.command, target, ...change }, context.realNow());
    },
  );
  context.metrics.commanded(order.command);
  return stored;
}
