import { type AccountTransferJson, accountTransferSchema, presentAccountTransfer } from '@gerbang/present';
import type { AccountTransfer } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { z } from 'zod';
import { idInPath } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';

const params = z.object({ transaction_id: idInPath('`transaction_id` of the transfer.') });

/** GET account-transfers/{transaction_id} (contract §6). Refusals: those of money-out. */
export const showAccountTransfer = operation({
  id: 'showAccountTransfer',
  summary: 'Show a transfer between accounts',
  input: z.object({ params }),
  data: accountTransferSchema,
  refusals: ['transaction_not_found'],
  async handle({ accountTransfers }, { caller, params: { transaction_id: transactionId } }) {
    const { accountTransfer } = await accountTransfers.getAccountTransfer({ merchantId: caller.merchantId, transactionId });
    return { data: dataOf(accountTransfer) };
  },
});

/** An account transfer that must be in money-out's answer. */
export function dataOf(accountTransfer: AccountTransfer | undefined): AccountTransferJson {
  if (accountTransfer === undefined) throw new Error('money-out answered no account transfer');
  return presentAccountTransfer(accountTransfer);
}
