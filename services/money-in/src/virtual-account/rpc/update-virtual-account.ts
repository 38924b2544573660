import { isRefusal, RefusalError } from '@gerbang/core';
import { AmountType, type UpdateVirtualAccountRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { boundsFor } from '../../payable/bounds.ts';
import { changePayable } from '../../payable/change.ts';
import { ownPayableToChange } from '../../payable/create.ts';
import { detailsOf, VIRTUAL_ACCOUNT } from '../../payable/product.ts';
import { toVirtualAccount } from '../message.ts';
import { changeTerms, STANDARD_BOUNDS } from '../virtual-account.ts';

/**
 * Changes an active virtual account; absent fields stay. Refusals: product_not_allowed, those of the account, frozen, transaction_not_found, validation,
 * bad_request (it is not active any more).
 */
export async function updateVirtualAccount(context: Context, request: UpdateVirtualAccountRequest) {
  const { merchantId, accountId, id, name } = request;
  const found = await ownPayableToChange(context, VIRTUAL_ACCOUNT, { merchantId, accountId, publicId: id });
  const { limits } = await context.merchants.profile(merchantId);
  const isOpen = detailsOf(found.details, VIRTUAL_ACCOUNT).amount_type === AmountType.OPEN;
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
  const changed = await changePayable(
    context,
    found,
    { type: 'change', minSen, maxSen, maxUses, expiresAtMs },
    {
      announced: 'changed',
      details: ({ details }) => ({ ...detailsOf(details, VIRTUAL_ACCOUNT), ...(name !== undefined && { name }) }),
    },
  );
  return { virtualAccount: toVirtualAccount(changed) };
}
