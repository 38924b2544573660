import { type StatusWords, statusOfWord } from '@gerbang/present';
import { PayableStatus } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { listQuery } from '../http/list-query.ts';
import type { Call } from '../http/route.ts';

/** How often something may be paid. */
export const maxUsage = z
  .int({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a whole number from 1 to 255') })
  .min(1, 'must be a whole number from 1 to 255')
  .max(255, 'must be a whole number from 1 to 255');

/** The query of money in's lists; `words` are the product's own for its statuses. */
export function moneyInListQuery(words: StatusWords) {
  return z.object({
    ...listQuery,
    merchant_reff_no: z.string('may be given once').default(''),
    status: z
      .string('may be given once')
      .transform((word, problem) => {
        const status = statusOfWord(words, word);
        if (status !== undefined) return status;
        problem.addIssue(`must be one of ${[...new Set(Object.values(words))].join(', ')}`);
        return z.NEVER;
      })
      .default(PayableStatus.UNSPECIFIED),
  });
}

/** The query as money in takes it. */
export function toListQuery(
  { caller, params }: Pick<Call, 'caller' | 'params'>,
  query: { limit: number; cursor: string; merchant_reff_no: string; from?: bigint | undefined; to?: bigint | undefined },
) {
  const { limit, cursor, merchant_reff_no, from, to } = query;
  return {
    merchantId: caller.merchantId,
    accountId: params.account_id ?? '',
    limit,
    cursor,
    merchantReffNo: merchant_reff_no,
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
  };
}
