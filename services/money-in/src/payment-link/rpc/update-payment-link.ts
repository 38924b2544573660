import { RefusalError, refuseField } from '@gerbang/core';
import type { UpdatePaymentLinkRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { changePayable } from '../../payable/change.ts';
import { ownPayableToChange } from '../../payable/create.ts';
import { type DetailsOf, detailsOf, PAYMENT_LINK } from '../../payable/product.ts';
import { toPaymentLink } from '../message.ts';
import { checkLink } from '../payment-link.ts';

/**
 * Changes an active link; absent fields stay, and sessions that are open keep what they were opened with. Refusals: product_not_allowed, those of the account,
 * frozen, transaction_not_found, validation, bad_request (it is not active any more).
 */
export async function updatePaymentLink(context: Context, request: UpdatePaymentLinkRequest) {
  const { merchantId, accountId, id, amountSen, maxUsage, paymentMethods } = request;
  const found = await ownPayableToChange(context, PAYMENT_LINK, { merchantId, accountId, publicId: String(id) });
  const { limits } = await context.merchants.profile(merchantId);
  const expiresAtMs = request.expiredAtMs === undefined ? undefined : Number(request.expiredAtMs);
  const rules = { limits, vaSeries: context.vaSeries, nowMs: context.clock.now() };
  const problem = checkLink({ amountSen, maxUsage, expiresAtMs, paymentMethods }, rules);
  if (problem !== undefined) throw new RefusalError(refuseField(problem.field, problem.message));
  const { state } = found;
  const changed = await changePayable(
    context,
    found,
    {
      type: 'change',
      minSen: amountSen ?? state.minSen,
      maxSen: amountSen ?? state.maxSen,
      maxUses: maxUsage ?? state.maxUses,
      expiresAtMs: expiresAtMs ?? state.expiresAtMs,
    },
    { announced: 'changed', details: ({ details }) => changedDetails(detailsOf(details, PAYMENT_LINK), request) },
  );
  return { paymentLink: toPaymentLink(changed) };
}

function changedDetails(details: DetailsOf<typeof PAYMENT_LINK>, request: UpdatePaymentLinkRequest) {
  return {
    ...details,
    title: request.title ?? details.title,
    description: request.description ?? details.description,
    required_customer_detail: request.requiredCustomerDetail ?? details.required_customer_detail,
    success_redirect_url: request.successRedirectUrl ?? details.success_redirect_url,
    payment_methods: request.paymentMethods.length === 0 ? details.payment_methods : request.paymentMethods,
  };
}
