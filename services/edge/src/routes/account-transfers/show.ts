import { presentAccountTransfer } from '@gerbang/present';
import type { AccountTransfer } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Handler } from '../../http/route.ts';

/** GET account-transfers/{transaction_id} (contract §6). Refusals: those of money-out. */
export const showAccountTransfer: Handler = async ({ accountTransfers }, { caller, params }) => {
  const { accountTransfer } = await accountTransfers.getAccountTransfer({
    merchantId: caller.merchantId,
    transactionId: params.transaction_id ?? '',
  });
  return { data: dataOf(accountTransfer) };
};

/** An account transfer that must be in money-out's answer. */
export function dataOf(accountTransfer: AccountTransfer | undefined): object {
  if (accountTransfer === undefined) throw new Error('money-out answered no account transfer');
  return presentAccountTransfer(accountTransfer);
}
