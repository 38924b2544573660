import { RefusalError, refuseField } from '@gerbang/core';
import type { UpdatePaymentLinkRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { changePaymentRequest } from '../../payment-request/change.ts';
import { ownRequestToChange } from '../../payment-request/create.ts';
import { toPaymentLink } from '../message.ts';
import { asPaymentLink, checkLink, PAYMENT_LINK, type PaymentLinkDetails } from '../payment-link.ts';

/**
 * Changes an active link; absent fields stay, and sessions that are open keep what they were opened with. Refusals:
 * product_not_allowed, those of the account, frozen, transaction_not_found, validation, bad_request (it is not active any more).
 */
export async function updatePaymentLink(context: Context, request: UpdatePaymentLinkRequest) {
  const { merchantId, accountId, id, amountSen, maxUsage, paymentMethods } = request;
  const found = await ownRequestToChange(context, PAYMENT_LINK, { merchantId, accountId, publicId: String(id) });
  const { limits, products } = await context.merchants.profile(merchantId);
  const expiresAtMs = request.expiredAtMs === undefined ? undefined : Number(request.expiredAtMs);
  const rules = { limits, products, methods: context.kinds.methods, nowMs: context.clock.now() };
  const problem = checkLink({ amountSen, maxUsage, expiresAtMs, paymentMethods }, rules);
  if (problem !== undefined) throw new RefusalError(refuseField(problem.field, problem.message));
  const { state } = found;
  const { request: changed } = await changePaymentRequest(
    context,
    found,
    {
      type: 'change',
      minSen: amountSen ?? state.minSen,
      maxSen: amountSen ?? state.maxSen,
      maxUses: maxUsage ?? state.maxUses,
      expiresAtMs: expiresAtMs ?? state.expiresAtMs,
    },
    { event: 'changed', details: ({ details }) => changedDetails(asPaymentLink(details), request) },
  );
  return { paymentLink: toPaymentLink(changed) };
}

function changedDetails(details: PaymentLinkDetails, request: UpdatePaymentLinkRequest): PaymentLinkDetails {
  return {
    ...details,
    title: request.title ?? details.title,
    description: request.description ?? details.description,
    requiredCustomerDetail: request.requiredCustomerDetail ?? details.requiredCustomerDetail,
    successRedirectUrl: request.successRedirectUrl ?? details.successRedirectUrl,
    paymentMethods: request.paymentMethods.length === 0 ? details.paymentMethods : request.paymentMethods,
  };
}
