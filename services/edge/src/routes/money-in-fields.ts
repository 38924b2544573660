import { type StatusWords, statusOfWord } from '@gerbang/present';
import { PayableStatus } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import type { Caller } from '../http/call.ts';
import { listQuery, referenceInQuery } from '../http/list-query.ts';

/** How often something may be paid. */
export const maxUsage = z
  .int({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a whole number from 1 to 255') })
  .min(1, 'must be a whole number from 1 to 255')
  .max(255, 'must be a whole number from 1 to 255');

/** The `merchant_reff_no` filter of lists. */
export const merchantReffNoFilter = referenceInQuery
  .meta({ description: "Only those with this reference of the merchant's." })
  .default('');

/** The query of money in's lists; `words` are the product's own for its statuses. */
export function moneyInListQuery(words: StatusWords<string>) {
  const known = [...new Set(Object.values(words))];
  return z.object({
    ...listQuery,
    merchant_reff_no: merchantReffNoFilter,
    status: z
      .enum(known, `must be one of ${known.join(', ')}`)
      .meta({ description: 'Only those with this status.' })
      .transform((word) => statusOfWord(words, word) ?? PayableStatus.UNSPECIFIED)
      .default(PayableStatus.UNSPECIFIED),
  });
}

/** The query as money in takes it. */
export function toListQuery({
  caller,
  params,
  query: { limit, cursor, merchant_reff_no, from, to },
}: {
  caller: Caller;
  params: { account_id: string };
  query: { limit: number; cursor: string; merchant_reff_no: string; from?: bigint | undefined; to?: bigint | undefined };
}) {
  return {
    merchantId: caller.merchantId,
    accountId: params.account_id,
    limit,
    cursor,
    merchantReffNo: merchant_reff_no,
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
  };
}
