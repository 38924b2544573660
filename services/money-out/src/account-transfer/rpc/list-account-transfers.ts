import { isUlid } from '@gerbang/core';
import { type ListAccountTransfersRequest, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { findPage, readPage } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { ACCOUNT_TRANSFER } from '../account-transfer.ts';
import { toMessage } from '../message.ts';

/**
 * Newest first, of all accounts or of one as the source. Refusals: validation (cursor), product_not_allowed, those of the
 * account.
 */
export async function listAccountTransfers(context: Context, request: ListAccountTransfersRequest) {
  const { merchantId, accountId, referenceNumber, status, fromMs, toMs } = request;
  const page = readPage(request, isUlid);
  await context.merchants.admitProduct(merchantId, ACCOUNT_TRANSFER);
  if (accountId !== '') await context.merchants.account(merchantId, accountId);
  // What is listed has succeeded: no other status has any.
  if (status !== TransferStatus.UNSPECIFIED && status !== TransferStatus.SUCCESS) return { accountTransfers: [], nextCursor: '' };
  const filter = {
    merchantId,
    accountId: accountId === '' ? undefined : accountId,
    referenceNumber: referenceNumber === '' ? undefined : referenceNumber,
    fromMs: fromMs === undefined ? undefined : Number(fromMs),
    toMs: toMs === undefined ? undefined : Number(toMs),
  };
  const { items, nextCursor } = await findPage(
    page,
    (query) => context.accountTransfers.list({ ...filter, ...query }),
    ({ order }) => order.transactionId,
  );
  return { accountTransfers: items.map(toMessage), nextCursor };
}
