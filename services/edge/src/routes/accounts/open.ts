import { accountSchema } from '@gerbang/present';
import { z } from 'zod';
import { optionalReference, prose } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { dataOf } from './show.ts';

const body = z.object({
  name: prose(100).meta({ description: 'What the merchant calls it. Blanks around it are dropped.' }),
  merchant_reff_no: optionalReference(255).meta({ description: "The merchant's own reference; need not be unique." }),
});

/** POST accounts (contract §4). Refusals: validation, frozen, those of the Idempotency-Key. */
export const openAccount = operation({
  id: 'openAccount',
  summary: 'Open an account',
  input: z.object({ body }),
  data: accountSchema,
  status: 201,
  creates: true,
  links: {
    showAccount: { account_id: '$response.body#/data/id' },
    updateAccount: { account_id: '$response.body#/data/id' },
    showAccountBalance: { account_id: '$response.body#/data/id' },
  },
  refusals: ['frozen'],
  async handle({ accounts }, { caller, body: { name, merchant_reff_no }, idempotencyKey }) {
    const { account, replayed } = await accounts.openAccount({
      merchantId: caller.merchantId,
      name,
      merchantReffNo: merchant_reff_no,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    return { data: dataOf(account), replayed };
  },
});
