import { presentSettlement } from '@gerbang/present';
import { z } from 'zod';
import { answerCsv, CSV_PAGE_ROWS, CSV_PAGE_TIMEOUT_MS, wantsCsv } from '../../http/csv.ts';
import { accountId } from '../../http/fields.ts';
import { listQuery, page } from '../../http/list-query.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';

const query = z.object({
  ...listQuery,
  account_id: accountId.optional(),
  product: z.string('may be given once').optional(),
});

const COLUMNS = [
  'id',
  'account_id',
  'product',
  'transaction_id',
  'reference_number',
  'amount',
  'fee',
  'net_amount',
  'settled_at',
];

/**
 * GET settlement-transactions (contract §5): money in that has settled, newest first, of all accounts or one; as CSV all of it,
 * without regard to limit and cursor. Refusals: validation, those of the account, unavailable.
 */
export const listSettlements: Handler = async (context, call) => {
  const { directory, statements } = context;
  const { limit, cursor, account_id, product, from, to } = validate(query, call.query);
  const { merchantId } = call.caller;
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
  if (wantsCsv(call)) {
    return answerCsv(context, COLUMNS, async (after) => {
      const asked = { ...filter, limit: CSV_PAGE_ROWS, cursor: after };
      const { settlements, nextCursor } = await statements.listSettlements(asked, { timeoutMs: CSV_PAGE_TIMEOUT_MS });
      return { rows: settlements.map(presentSettlement), nextCursor };
    });
  }
  const { settlements, nextCursor } = await statements.listSettlements({ ...filter, limit, cursor });
  return { data: page(settlements.map(presentSettlement), nextCursor) };
};
