import { chargebackSchema, presentChargeback } from '@gerbang/present';
import { z } from 'zod';
import { idInPath, inAccount } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';

/** GET /api/v2.0/card/{account_id}/chargebacks/{id}. Refusals: those of cards. */
export const showChargeback = operation({
  id: 'showCardChargeback',
  summary: 'Show a chargeback',
  input: z.object({ params: inAccount({ id: idInPath('A chargeback.') }) }),
  data: chargebackSchema,
  refusals: ['transaction_not_found'],
  async handle({ chargebacks }, { caller, params }) {
    const own = { merchantId: caller.merchantId, accountId: params.account_id, id: params.id };
    const { chargeback } = await chargebacks.getChargeback(own);
    if (chargeback === undefined) throw new Error('cards answered no chargeback');
    return { data: presentChargeback(chargeback) };
  },
});
