import { entryTypeOf, presentEntry } from '@gerbang/present';
import { EntryType } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { z } from 'zod';
import { answerCsv, CSV_PAGE_ROWS, CSV_PAGE_TIMEOUT_MS, wantsCsv } from '../../http/csv.ts';
import { listQuery, page } from '../../http/list-query.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';

const query = z.object({
  ...listQuery,
  type: z.enum(['credit', 'debit'], 'must be credit or debit').transform(entryTypeOf).optional(),
});

const COLUMNS = [
  'id',
  'account_id',
  'type',
  'amount',
  'fee',
  'balance_after',
  'product',
  'transaction_id',
  'reference_number',
  'description',
  'posted_at',
];

/**
 * GET account-statements/{account_id} (contract §4): entries of the available balance, newest first; as CSV all of them, without
 * regard to limit and cursor. Refusals: validation, those of the account, unavailable.
 */
export const listStatement: Handler = async (context, call) => {
  const { directory, statements } = context;
  const { limit, cursor, type, from, to } = validate(query, call.query);
  const { merchantId } = call.caller;
  const accountId = call.params.account_id ?? '';
  await directory.account(merchantId, accountId);
  const { partition } = await directory.profile(merchantId);
  const filter = {
    merchantId,
    partition,
    accountId,
    type: type ?? EntryType.UNSPECIFIED,
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
  };
  if (wantsCsv(call)) {
    return answerCsv(context, COLUMNS, async (after) => {
      const asked = { ...filter, limit: CSV_PAGE_ROWS, cursor: after };
      const { entries, nextCursor } = await statements.listEntries(asked, { timeoutMs: CSV_PAGE_TIMEOUT_MS });
      return { rows: entries.map(presentEntry), nextCursor };
    });
  }
  const { entries, nextCursor } = await statements.listEntries({ ...filter, limit, cursor });
  return { data: page(entries.map(presentEntry), nextCursor) };
};
