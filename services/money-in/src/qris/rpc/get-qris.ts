import { RefusalError, refuse } from '@gerbang/core';
import { AccountStatus, MerchantStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { GetQrisRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { ownRequest } from '../../payment-request/create.ts';
import { reconciledCodes } from '../../reconciliation/qris.ts';
import { toQrisTransaction } from '../message.ts';
import { QRIS, requestOfQrisReference } from '../qris.ts';

/**
 * A code of the account by its id, or by its reference. The one read that a frozen merchant or account does not have (contract §2). Refusals: product_not_allowed, those of the
 * account, frozen, transaction_not_found.
 */
export async function getQris(context: Context, { merchantId, accountId, id, reffNo }: GetQrisRequest) {
  const profile = await context.merchants.admitProduct(merchantId, QRIS);
  const account = await context.merchants.account(merchantId, accountId);
  if (profile.status === MerchantStatus.FROZEN || account.status === AccountStatus.FROZEN)
    throw new RefusalError(refuse('frozen'));
  const found =
    reffNo === ''
      ? await ownRequest(context, QRIS, { merchantId, accountId, publicId: String(id) })
      : await findByReference(context, { merchantId, accountId, reffNo });
  const reconciled = await reconciledCodes(context, [found]);
  return { qrisTransaction: toQrisTransaction(found, context.clock.now(), reconciled.get(found.order.id)) };
}

async function findByReference(
  { paymentRequests }: Context,
  { merchantId, accountId, reffNo }: { merchantId: string; accountId: string; reffNo: string },
) {
  const id = requestOfQrisReference(reffNo);
  const found = id === undefined ? undefined : await paymentRequests.find(id);
  const isTheirs = found?.order.merchantId === merchantId && found.order.accountId === accountId;
  if (found === undefined || !isTheirs) throw new RefusalError(refuse('transaction_not_found'));
  return found;
}
