import type { QrisTransaction } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { numberInPath } from '../../http/fields.ts';
import type { Call, Handler } from '../../http/route.ts';
import { dataOf } from './generate.ts';

/** GET qris-dynamic/{account_id}/inquiry-status/{id} (merchant-api.md, QRIS money in). Refusals: those of money-in. */
export const inquireQris: Handler = async (context, call) => ({ data: dataOf(await findQris(context, call)) });

/** The QRIS transaction that the path names. Refusals: those of money-in. */
export async function findQris({ qris }: Context, { caller, params }: Call): Promise<QrisTransaction | undefined> {
  const { account_id: accountId = '', id = '' } = params;
  return (await qris.getQris({ merchantId: caller.merchantId, accountId, id: numberInPath(id) })).qrisTransaction;
}
