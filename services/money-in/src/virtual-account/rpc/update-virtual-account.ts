import { isRefusal, RefusalError } from '@gerbang/core';
import type { UpdateVirtualAccountRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { boundsFor } from '../../payment-request/bounds.ts';
import { changePaymentRequest } from '../../payment-request/change.ts';
import { ownRequestToChange } from '../../payment-request/create.ts';
import { toVirtualAccount } from '../message.ts';
import { asVirtualAccount, changeTerms, STANDARD_BOUNDS, VIRTUAL_ACCOUNT } from '../virtual-account.ts';

/**
 * Changes an active virtual account; absent fields stay. Refusals: product_not_allowed, those of the account, frozen,
 * transaction_not_found, validation, bad_request (it is not active any more).
 */
export async function updateVirtualAccount(context: Context, request: UpdateVirtualAccountRequest) {
  const { merchantId, accountId, id, name } = request;
  const found = await ownRequestToChange(context, VIRTUAL_ACCOUNT, { merchantId, accountId, publicId: id });
  const { limits } = await context.merchants.profile(merchantId);
  const isOpen = asVirtualAccount(found.details).amountType === 'open';
  const terms = changeTerms(
    { ...found.state, isOpen },
    {
      amountSen: request.amountSen,
      minAmountSen: request.minAmountSen,
      maxAmountSen: request.maxAmountSen,
      maxUsage: request.maxUsage,
      expiredAtMs: request.expiredAtMs === undefined ? undefined : Number(request.expiredAtMs),
    },
    boundsFor(limits, VIRTUAL_ACCOUNT, STANDARD_BOUNDS),
    context.clock.now(),
  );
  if (isRefusal(terms)) throw new RefusalError(terms);
  const { minSen, maxSen, maxUses, expiresAtMs } = terms;
  const { request: changed } = await changePaymentRequest(
    context,
    found,
    { type: 'change', minSen, maxSen, maxUses, expiresAtMs },
    {
      event: 'changed',
      details: ({ details }) => ({ ...asVirtualAccount(details), ...(name !== undefined && { name }) }),
    },
  );
  return { virtualAccount: toVirtualAccount(changed) };
}
