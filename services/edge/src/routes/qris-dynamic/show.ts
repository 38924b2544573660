import { numberInPath } from '../../http/money-in-fields.ts';
import type { Handler } from '../../http/route.ts';
import { dataOf } from './generate.ts';

/** GET qris-dynamic/{account_id}/show/{id}, and inquiry-status likewise (merchant-api.md, QRIS money in). Refusals: those of money-in. */
export const showQris: Handler = async ({ qris }, { caller, params }) => {
  const { account_id: accountId = '', id = '' } = params;
  const { qrisTransaction } = await qris.getQris({ merchantId: caller.merchantId, accountId, id: numberInPath(id) });
  return { data: dataOf(qrisTransaction) };
};
