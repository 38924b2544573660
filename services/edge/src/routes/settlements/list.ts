import { pageSchema, presentSettlement, settlementSchema } from '@gerbang/present';
import { z } from 'zod';
import { answerCsv, CSV_DESCRIPTION, CSV_PAGE_ROWS, CSV_PAGE_TIMEOUT_MS, wantsCsv } from '../../http/csv.ts';
import { accountId } from '../../http/fields.ts';
import { listQuery, once, page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';

const query = z.object({
  ...listQuery,
  account_id: accountId.optional(),
  product: once.meta({ description: 'Only money of this product, for instance `virtual-account`.' }).optional(),
});

const COLUMNS = Object.keys(settlementSchema.shape);

/**
 * GET settlement-transactions (contract §5): money in that has settled, newest first, of all accounts or one; as CSV all of it,
 * without regard to limit and cursor. Refusals: validation, those of the account, unavailable.
 */
export const listSettlements = operation({
  id: 'listSettlements',
  summary: 'List settlement transactions',
  description:
    'Money in that has settled, newest first. With `Accept: text/csv` all of it as CSV, without regard to limit and cursor.',
  input: z.object({ query }),
  data: pageSchema(settlementSchema),
  otherContent: { 'text/csv': CSV_DESCRIPTION },
  async handle(context, { caller: { merchantId }, header, query: { limit, cursor, account_id, product, from, to } }) {
    const { directory, statements } = context;
    if (account_id !== undefined) await directory.account(merchantId, account_id);
    const { partition } = await directory.profile(merchantId);
    const filter = {
      merchantId,
      partition,
      accountId: account_id ?? '',
      product: product ?? '',
      ...(from !== undefined && { fromMs: from }),
      ...(to !== undefined && { toMs: to }),
    };
    if (wantsCsv({ header })) {
      return answerCsv(context, merchantId, COLUMNS, async (after) => {
        const asked = { ...filter, limit: CSV_PAGE_ROWS, cursor: after };
        const { settlements, nextCursor } = await statements.listSettlements(asked, { timeoutMs: CSV_PAGE_TIMEOUT_MS });
        return { rows: settlements.map(presentSettlement), nextCursor };
      });
    }
    const { settlements, nextCursor } = await statements.listSettlements({ ...filter, limit, cursor });
    return { data: page(settlements.map(presentSettlement), nextCursor) };
  },
});
