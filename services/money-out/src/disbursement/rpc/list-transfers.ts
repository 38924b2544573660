import { isUlid, RefusalError, refuseField } from '@gerbang/core';
import { type ListTransfersRequest, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { decodeCursor, encodeCursor } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { toMessage } from '../../transfer/message.ts';
import { DISBURSEMENT } from '../../transfer/reference.ts';
import type { TransferState } from '../../transfer/transfer.ts';

const LIMIT_MAX = 100;

/** Newest first. Refusals: validation (cursor), product_not_allowed, those of the account. */
export async function listTransfers(context: Context, request: ListTransfersRequest) {
  const before = request.cursor === '' ? undefined : readCursor(request.cursor);
  await context.merchants.admitProduct(request.merchantId, DISBURSEMENT);
  await context.merchants.account(request.merchantId, request.accountId);
  const limit = Math.min(Math.max(request.limit, 1), LIMIT_MAX);
  const status = storedStatus(request.status);
  if (status === 'none') return { transfers: [], nextCursor: '' };
  const found = await context.transfers.list({
    merchantId: request.merchantId,
    accountId: request.accountId,
    limit: limit + 1,
    before,
    status,
    referenceNumber: request.referenceNumber === '' ? undefined : request.referenceNumber,
    fromMs: request.fromMs === undefined ? undefined : Number(request.fromMs),
    toMs: request.toMs === undefined ? undefined : Number(request.toMs),
  });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    transfers: page.map(({ order, state }) => toMessage(order, state)),
    nextCursor: found.length > limit && last !== undefined ? encodeCursor(last.order.transactionId) : '',
  };
}

function readCursor(cursor: string): string {
  const key = decodeCursor(cursor);
  if (key === undefined || !isUlid(key)) throw new RefusalError(refuseField('cursor', 'is not a cursor of this list'));
  return key;
}

/** The stored status behind a filter; `none` where no disbursement can have it; undefined for no filter. */
function storedStatus(status: TransferStatus): TransferState['status'] | 'none' | undefined {
  switch (status) {
    case TransferStatus.UNSPECIFIED:
      return undefined;
    case TransferStatus.SUCCESS:
      return 'succeeded';
    case TransferStatus.PENDING:
      return 'sent';
    case TransferStatus.FAILED:
      return 'failed';
    case TransferStatus.INITIATED:
    case TransferStatus.PAYING:
    case TransferStatus.REFUNDED:
    case TransferStatus.CANCELED:
      return 'none';
    default:
      return status satisfies never;
  }
}
