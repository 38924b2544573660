import { isUlid, RefusalError, refuseField } from '@gerbang/core';
import { type ListAccountTransfersRequest, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { decodeCursor, encodeCursor } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { ACCOUNT_TRANSFER } from '../../transfer/reference.ts';
import { toMessage } from '../store.ts';

const LIMIT_MAX = 100;

/** Newest first, of all accounts or of one as the source. Refusals: validation (cursor), product_not_allowed, those of the account. */
export async function listAccountTransfers(context: Context, request: ListAccountTransfersRequest) {
  const { merchantId, accountId, referenceNumber, status, fromMs, toMs } = request;
  const before = request.cursor === '' ? undefined : readCursor(request.cursor);
  await context.merchants.admitProduct(merchantId, ACCOUNT_TRANSFER);
  if (accountId !== '') await context.merchants.account(merchantId, accountId);
  // What is listed has succeeded: no other status has any.
  if (status !== TransferStatus.UNSPECIFIED && status !== TransferStatus.SUCCESS) return { accountTransfers: [], nextCursor: '' };
  const limit = Math.min(Math.max(request.limit, 1), LIMIT_MAX);
  const found = await context.accountTransfers.list({
    merchantId,
    accountId: accountId === '' ? undefined : accountId,
    limit: limit + 1,
    before,
    referenceNumber: referenceNumber === '' ? undefined : referenceNumber,
    fromMs: fromMs === undefined ? undefined : Number(fromMs),
    toMs: toMs === undefined ? undefined : Number(toMs),
  });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    accountTransfers: page.map(({ order, state }) => toMessage(order, state)),
    nextCursor: found.length > limit && last !== undefined ? encodeCursor(last.order.transactionId) : '',
  };
}

function readCursor(cursor: string): string {
  const key = decodeCursor(cursor);
  if (key === undefined || !isUlid(key)) throw new RefusalError(refuseField('cursor', 'is not a cursor of this list'));
  return key;
}
