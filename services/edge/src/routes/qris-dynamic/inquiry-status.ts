import { qrisTransactionSchema } from '@gerbang/present';
import type { QrisTransaction } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Caller } from '../../http/call.ts';
import { inAccount, numberInPath } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { dataOf } from './generate.ts';

export const qrisParams = inAccount({ id: numberInPath('`id` of the QRIS transaction.') });

/** GET qris-dynamic/{account_id}/inquiry-status/{id} (merchant-api.md, QRIS money in). Refusals: those of money-in. */
export const inquireQris = operation({
  id: 'inquireQrisStatus',
  summary: 'Status of a QRIS transaction',
  description: 'Refused with 403 where the merchant or the account is frozen.',
  input: z.object({ params: qrisParams }),
  data: qrisTransactionSchema,
  refusals: ['transaction_not_found', 'frozen'],
  handle: async (context, { caller, params }) => ({ data: dataOf(await findQris(context, caller, params)) }),
});

/** The QRIS transaction that the path names. Refusals: those of money-in. */
export async function findQris(
  { qris }: Context,
  { merchantId }: Caller,
  { account_id: accountId, id }: z.output<typeof qrisParams>,
): Promise<QrisTransaction | undefined> {
  return (await qris.getQris({ merchantId, accountId, id })).qrisTransaction;
}
