import { accountTransferSchema, pageSchema, presentAccountTransfer } from '@gerbang/present';
import { TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { z } from 'zod';
import { accountId } from '../../http/fields.ts';
import { listQuery, page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';
import { referenceNumber } from '../money-out-fields.ts';
import { transferStatus } from '../transfer-status.ts';

const query = z.object({
  ...listQuery,
  account_id: accountId.optional(),
  reference_number: referenceNumber.optional(),
  status: transferStatus,
});

/**
 * GET account-transfers (contract §6): newest first, of all accounts, or of one as the source. Refusals: validation, and those of
 * money-out.
 */
export const listAccountTransfers = operation({
  id: 'listAccountTransfers',
  summary: 'List transfers between accounts',
  description: 'Newest first, of all accounts, or of one as the source.',
  input: z.object({ query }),
  data: pageSchema(accountTransferSchema),
  async handle({ accountTransfers }, { caller, query: { account_id, limit, cursor, status, reference_number, from, to } }) {
    const found = await accountTransfers.listAccountTransfers({
      merchantId: caller.merchantId,
      accountId: account_id ?? '',
      limit,
      cursor,
      status: status ?? TransferStatus.UNSPECIFIED,
      referenceNumber: reference_number ?? '',
      ...(from !== undefined && { fromMs: from }),
      ...(to !== undefined && { toMs: to }),
    });
    return { data: page(found.accountTransfers.map(presentAccountTransfer), found.nextCursor) };
  },
});
