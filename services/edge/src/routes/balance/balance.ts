import { RefusalError, refuse } from '@gerbang/core';
import { type BalanceJson, presentBalance } from '@gerbang/present';
import type { Context } from '../../context.ts';
import type { Handler } from '../../http/route.ts';

/** GET balance-inquiry: all accounts of the merchant together (merchant-api.md, Balance). Frozen merchants may look too. */
export const merchantBalance: Handler = async (context, { caller }) => ({ data: await balance(context, caller.merchantId, '') });

/**
 * GET balance-inquiry/{account_id}. Refusals: account_not_found; an account of another merchant is a method not allowed (405,
 * code 4059901), as merchant-api.md has it, only for this resource.
 */
export const accountBalance: Handler = async (context, { caller, params }) => {
  const accountId = params.account_id ?? '';
  try {
    await context.directory.account(caller.merchantId, accountId);
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === 'account_of_other_merchant') {
      throw new RefusalError(refuse('method_not_allowed', { message: 'The merchant may not access this account' }), error);
    }
    throw error;
  }
  return { data: await balance(context, caller.merchantId, accountId) };
};

async function balance({ directory, ledger }: Context, merchantId: string, accountId: string): Promise<BalanceJson> {
  const { partition } = await directory.profile(merchantId);
  return presentBalance(await ledger.getBalance({ merchantId, partition, accountId }));
}
