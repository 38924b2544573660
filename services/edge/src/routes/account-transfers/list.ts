import { presentAccountTransfer } from '@gerbang/present';
import { TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { z } from 'zod';
import { accountId } from '../../http/fields.ts';
import { listQuery, page } from '../../http/list-query.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
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
export const listAccountTransfers: Handler = async ({ accountTransfers }, call) => {
  const { account_id, limit, cursor, status, reference_number, from, to } = validate(query, call.query);
  const found = await accountTransfers.listAccountTransfers({
    merchantId: call.caller.merchantId,
    accountId: account_id ?? '',
    limit,
    cursor,
    status: status ?? TransferStatus.UNSPECIFIED,
    referenceNumber: reference_number ?? '',
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
  });
  return { data: page(found.accountTransfers.map(presentAccountTransfer), found.nextCursor) };
};
