import { RefusalError, refuseField } from '@gerbang/core';
import { type CreatePaymentLinkRequest, CreatePaymentLinkResponseSchema } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { createOnce, insertOnce } from '../../payment-request/create.ts';
import { newPaymentRequest } from '../../payment-request/payment-request.ts';
import { toPaymentLink } from '../message.ts';
import { checkLink, linkReference, PAYMENT_LINK, type PaymentLinkDetails } from '../payment-link.ts';
import { offeredMethods } from '../payment-methods.ts';

/**
 * A link that customers open to pay (contract §5). Refusals: product_not_allowed, those of the account, frozen, validation,
 * idempotency_key_reused, idempotency_key_running.
 */
export async function createPaymentLink(context: Context, request: CreatePaymentLinkRequest) {
  return createOnce(context, PAYMENT_LINK, request, {
    answer: CreatePaymentLinkResponseSchema,
    work: async (id) => ({ paymentLink: await make(context, request, id) }),
  });
}

async function make(context: Context, request: CreatePaymentLinkRequest, id: string) {
  const { merchantId, accountId, title, description, amountSen, maxUsage, requiredCustomerDetail, successRedirectUrl } = request;
  const { profile } = await context.merchants.admit(merchantId, PAYMENT_LINK, accountId);
  const nowMs = context.clock.now();
  const expiresAtMs = request.expiredAtMs === undefined ? undefined : Number(request.expiredAtMs);
  const { paymentMethods } = request;
  const { methods } = context.kinds;
  const { limits, products } = profile;
  const problem = checkLink({ amountSen, maxUsage, expiresAtMs, paymentMethods }, { limits, products, methods, nowMs });
  if (problem !== undefined) throw new RefusalError(refuseField(problem.field, problem.message));
  const order = {
    id,
    publicId: String(await context.numbers('link').next()),
    merchantId,
    partition: profile.partition,
    accountId,
    merchantReffNo: '',
    createdAtMs: nowMs,
  };
  const details: PaymentLinkDetails = {
    kind: PAYMENT_LINK,
    title,
    description,
    requiredCustomerDetail,
    successRedirectUrl,
    paymentMethods: paymentMethods.length === 0 ? offeredMethods(methods, products) : paymentMethods,
    paymentUrl: `${context.payUrl}/pay/${linkReference(id)}`,
    holders: [],
  };
  const state = newPaymentRequest({ minSen: amountSen, maxSen: amountSen, maxUses: maxUsage, expiresAtMs });
  const { request: changed } = await insertOnce(context, order, state, details);
  return toPaymentLink(changed);
}
