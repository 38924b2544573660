import { RefusalError, refuse, refuseField } from '@gerbang/core';
import type { GetBalanceRequest } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { Context } from '../../context.ts';
import { PARTITION } from '../../partition/name.ts';

/**
 * Balances of one account, or their sums over the merchant's accounts when no account is named; sen, as of now. Zeros where
 * nothing was ever posted. Refusals: validation, unavailable, timeout.
 */
export async function getBalance(context: Context, request: GetBalanceRequest, signal: AbortSignal) {
  const { merchantId, accountId } = request;
  if (!PARTITION.test(request.partition)) throw new RefusalError(refuseField('partition', 'is not the name of a partition'));
  if (merchantId === '') throw new RefusalError(refuseField('merchant_id', 'is required'));
  const { book } = await context.partitions.get(request.partition, signal);
  const accounts = accountId === '' ? book.accountsOf(merchantId) : [accountId];
  const sum = { availableSen: 0n, heldSen: 0n, pendingSen: 0n, reserveSen: 0n, owedSen: 0n };
  for (const account of accounts) {
    const { available, held, pending, reserve, owed } = book.balancesOf(merchantId, account);
    sum.availableSen += available;
    sum.heldSen += held;
    sum.pendingSen += pending;
    sum.reserveSen += reserve;
    sum.owedSen -= owed;
  }
  // Checked after the balances were read: if no instance can have taken over by now, none had then.
  if (!context.lease()?.isValid()) throw new RefusalError(refuse('unavailable', { retryAfterMs: 200 }));
  return sum;
}
