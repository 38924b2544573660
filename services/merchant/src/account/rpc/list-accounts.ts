import { isUlid, RefusalError, refuseField } from '@gerbang/core';
import { AccountStatus, type ListAccountsRequest } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { decodeCursor, encodeCursor } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { type AccountQuery, toMessage } from '../store.ts';

const LIMIT_MAX = 100;

/** The merchant's own accounts, newest first. Refusals: validation (cursor). */
export async function listAccounts({ accounts }: Context, request: ListAccountsRequest) {
  const { merchantId, cursor, merchantReffNo, fromMs, toMs } = request;
  const limit = Math.min(Math.max(request.limit, 1), LIMIT_MAX);
  const found = await accounts.list({
    merchantId,
    limit: limit + 1,
    before: cursor === '' ? undefined : readCursor(cursor),
    status: shownStatus(request.status),
    merchantReffNo: merchantReffNo === '' ? undefined : merchantReffNo,
    fromMs: fromMs === undefined ? undefined : Number(fromMs),
    toMs: toMs === undefined ? undefined : Number(toMs),
  });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    accounts: page.map(({ id, version, account }) => toMessage(id, merchantId, version, account)),
    nextCursor: found.length > limit && last !== undefined ? encodeCursor(last.id) : '',
  };
}

function readCursor(cursor: string): string {
  const key = decodeCursor(cursor);
  if (key === undefined || !isUlid(key)) throw new RefusalError(refuseField('cursor', 'is not a cursor of this list'));
  return key;
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
