import { pageSchema, presentTransfer, transferSchema } from '@gerbang/present';
import { TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { z } from 'zod';
import { accountId } from '../../http/fields.ts';
import { listQuery, page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';
import { referenceNumber } from '../money-out-fields.ts';
import { transferStatus } from '../transfer-status.ts';

const query = z.object({
  ...listQuery,
  account_id: accountId,
  reference_number: referenceNumber.optional(),
  status: transferStatus,
});

/** GET list?account_id (contract §6): newest first. Refusals: validation, and those of money-out. */
export const listTransfers = operation({
  id: 'listDisbursements',
  summary: 'List disbursements of an account',
  input: z.object({ query }),
  data: pageSchema(transferSchema),
  async handle({ disbursements }, { caller, query: { account_id, limit, cursor, status, reference_number, from, to } }) {
    const found = await disbursements.listTransfers({
      merchantId: caller.merchantId,
      accountId: account_id,
      limit,
      cursor,
      status: status ?? TransferStatus.UNSPECIFIED,
      referenceNumber: reference_number ?? '',
      ...(from !== undefined && { fromMs: from }),
      ...(to !== undefined && { toMs: to }),
    });
    return { data: page(found.transfers.map(presentTransfer), found.nextCursor) };
  },
});
