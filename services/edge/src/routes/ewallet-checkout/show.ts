import { ewalletCheckoutSchema } from '@gerbang/present';
import { z } from 'zod';
import { idInPath, inAccount } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { dataOf } from './create.ts';

const params = inAccount({ transaction_id: idInPath('`transaction_id` of the checkout.') });

/** GET ewallet-checkout/{account_id}/{transaction_id}. Refusals: those of money-in. */
export const showEwalletCheckout = operation({
  id: 'showEwalletCheckout',
  summary: 'Show an e-wallet checkout',
  input: z.object({ params }),
  data: ewalletCheckoutSchema,
  refusals: ['transaction_not_found'],
  async handle({ ewalletCheckouts }, { caller, params: { account_id: accountId, transaction_id: transactionId } }) {
    const { ewalletCheckout } = await ewalletCheckouts.getEwalletCheckout({
      merchantId: caller.merchantId,
      accountId,
      transactionId,
    });
    return { data: dataOf(ewalletCheckout) };
  },
});
