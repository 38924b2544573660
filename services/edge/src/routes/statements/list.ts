import { entrySchema, entryTypeOf, pageSchema, presentEntry } from '@gerbang/present';
import { EntryType } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { z } from 'zod';
import { answerCsv, CSV_DESCRIPTION, CSV_PAGE_ROWS, CSV_PAGE_TIMEOUT_MS, wantsCsv } from '../../http/csv.ts';
import { ofAccount } from '../../http/fields.ts';
import { listQuery, page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';

const query = z.object({
  ...listQuery,
  type: z.enum(['credit', 'debit'], 'must be credit or debit').transform(entryTypeOf).optional(),
});

const COLUMNS = Object.keys(entrySchema.shape);

/**
 * GET account-statements/{account_id} (contract §4): entries of the available balance, newest first; as CSV all of them, without
 * regard to limit and cursor. Refusals: validation, those of the account, unavailable.
 */
export const listStatement = operation({
  id: 'listStatementEntries',
  summary: 'List the entries of a statement',
  description:
    'What changed the available balance, newest first: a hold is a debit, a release or a settlement a credit. ' +
    'With `Accept: text/csv` all of it as CSV, without regard to limit and cursor.',
  input: z.object({ params: ofAccount, query }),
  data: pageSchema(entrySchema),
  otherContent: { 'text/csv': CSV_DESCRIPTION },
  async handle(context, { caller: { merchantId }, header, params, query: { limit, cursor, type, from, to } }) {
    const { directory, statements } = context;
    const accountId = params.account_id;
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
    if (wantsCsv({ header })) {
      return answerCsv(context, merchantId, COLUMNS, async (after) => {
        const asked = { ...filter, limit: CSV_PAGE_ROWS, cursor: after };
        const { entries, nextCursor } = await statements.listEntries(asked, { timeoutMs: CSV_PAGE_TIMEOUT_MS });
        return { rows: entries.map(presentEntry), nextCursor };
      });
    }
    const { entries, nextCursor } = await statements.listEntries({ ...filter, limit, cursor });
    return { data: page(entries.map(presentEntry), nextCursor) };
  },
});
