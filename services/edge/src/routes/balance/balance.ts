import { RefusalError, refuse } from '@gerbang/core';
import { type BalanceJson, balanceSchema, presentBalance } from '@gerbang/present';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { ofAccount } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';

/** GET balance-inquiry: all accounts of the merchant together (merchant-api.md, Balance). Frozen merchants may look too. */
export const merchantBalance = operation({
  id: 'showMerchantBalance',
  summary: 'Balance of the merchant',
  description: 'All accounts of the merchant together. A frozen merchant may look too.',
  input: z.object({}),
  data: balanceSchema,
  handle: async (context, { caller }) => ({ data: await balance(context, caller.merchantId, '') }),
});

/**
 * GET balance-inquiry/{account_id}. Refusals: account_not_found; an account of another merchant is a method not allowed (405,
 * code 4059901), as merchant-api.md has it, only for this resource.
 */
export const accountBalance = operation({
  id: 'showAccountBalance',
  summary: 'Balance of an account',
  description: "An account of another merchant is answered with 405, code 4059901: it is no resource of the merchant's.",
  input: z.object({ params: ofAccount }),
  data: balanceSchema,
  refusals: ['method_not_allowed'],
  async handle(context, { caller, params: { account_id: accountId } }) {
    try {
      await context.directory.account(caller.merchantId, accountId);
    } catch (error) {
      if (error instanceof RefusalError && error.refusal.refused === 'account_of_other_merchant') {
        throw new RefusalError(refuse('method_not_allowed', { message: 'The merchant may not access this account' }), error);
      }
      throw error;
    }
    return { data: await balance(context, caller.merchantId, accountId) };
  },
});

async function balance({ directory, ledger }: Context, merchantId: string, accountId: string): Promise<BalanceJson> {
  const { partition } = await directory.profile(merchantId);
  return presentBalance(await ledger.getBalance({ merchantId, partition, accountId }));
}
