import { cardlessWithdrawalWithCodeSchema, presentCardlessWithdrawalWithCode } from '@gerbang/present';
import { z } from 'zod';
import { idInPath, inAccount } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';

export const ofWithdrawal = inAccount({ transaction_id: idInPath('`transaction_id` of the withdrawal.') });

/** GET cardless-withdrawals/{account_id}/{transaction_id} (contract §6). Refusals: those of money-out. */
export const showCardlessWithdrawal = operation({
  id: 'showCardlessWithdrawal',
  summary: 'Show a cardless withdrawal',
  description: 'With its code while it is active.',
  input: z.object({ params: ofWithdrawal }),
  data: cardlessWithdrawalWithCodeSchema,
  refusals: ['transaction_not_found'],
  async handle({ cardlessWithdrawals }, { caller, params: { account_id: accountId, transaction_id: transactionId } }) {
    const { transfer, withdrawalCode } = await cardlessWithdrawals.getCardlessWithdrawal({
      merchantId: caller.merchantId,
      accountId,
      transactionId,
    });
    if (transfer === undefined) throw new Error('money-out answered no cardless withdrawal');
    return { data: presentCardlessWithdrawalWithCode(transfer, withdrawalCode) };
  },
});
