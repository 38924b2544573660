import { isUlid } from '@gerbang/core';
import { AccountStatus, type ListAccountsRequest } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { findPage, readPage } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { toMessage } from '../message.ts';
import type { AccountQuery } from '../store.ts';

/** The merchant's own accounts, newest first. Refusals: validation (cursor). */
export async function listAccounts({ accounts }: Context, request: ListAccountsRequest) {
  const { merchantId, merchantReffNo, fromMs, toMs } = request;
  const filter = {
    merchantId,
    status: shownStatus(request.status),
    merchantReffNo: merchantReffNo === '' ? undefined : merchantReffNo,
    fromMs: fromMs === undefined ? undefined : Number(fromMs),
    toMs: toMs === undefined ? undefined : Number(toMs),
  };
  const page = readPage(request, isUlid);
  const { items, nextCursor } = await findPage(
    page,
    (query) => accounts.list({ ...filter, ...query }),
    ({ id }) => id,
  );
  return { accounts: items.map(({ id, version, account }) => toMessage(id, merchantId, version, account)), nextCursor };
}

function shownStatus(status: AccountStatus): AccountQuery['status'] {
  switch (status) {
    case AccountStatus.UNSPECIFIED:
      return undefined;
    case AccountStatus.ACTIVE:
      return 'active';
    case AccountStatus.INACTIVE:
      return 'inactive';
    case AccountStatus.FROZEN:
      return 'frozen';
    default:
      return status satisfies never;
  }
}
