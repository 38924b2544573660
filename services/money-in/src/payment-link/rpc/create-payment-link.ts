import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { RefusalError, refuseField } from '@gerbang/core';
import { type CreatePaymentLinkRequest, CreatePaymentLinkResponseSchema } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { createOnce, insertOnce } from '../../payable/create.ts';
import { newPayable } from '../../payable/payable.ts';
import { PAYMENT_LINK } from '../../payable/product.ts';
import { linkReference, toPaymentLink } from '../message.ts';
import { payableMethods } from '../payable-methods.ts';
import { checkLink } from '../payment-link.ts';

/**
 * A link that customers open to pay (contract §5). Refusals: product_not_allowed, those of the account, frozen, validation, idempotency_key_reused,
 * idempotency_key_running.
 */
export async function createPaymentLink(context: Context, request: CreatePaymentLinkRequest) {
  const { response, replayed } = await createOnce(context, PAYMENT_LINK, request, async (id) => {
    const paymentLink = await make(context, request, id);
    return toBinary(CreatePaymentLinkResponseSchema, create(CreatePaymentLinkResponseSchema, { paymentLink }));
  });
  return { ...fromBinary(CreatePaymentLinkResponseSchema, response), replayed };
}

async function make(context: Context, request: CreatePaymentLinkRequest, id: string) {
  const { merchantId, accountId, title, description, amountSen, maxUsage, requiredCustomerDetail, successRedirectUrl } = request;
  const { profile } = await context.merchants.admit(merchantId, PAYMENT_LINK, accountId);
  const nowMs = context.clock.now();
  const expiresAtMs = request.expiredAtMs === undefined ? undefined : Number(request.expiredAtMs);
  const { paymentMethods } = request;
  const { vaSeries } = context;
  const problem = checkLink({ amountSen, maxUsage, expiresAtMs, paymentMethods }, { limits: profile.limits, vaSeries, nowMs });
  if (problem !== undefined) throw new RefusalError(refuseField(problem.field, problem.message));
  const order = {
    id,
    publicId: String(await context.numbers.link.next()),
    merchantId,
    partition: profile.partition,
    accountId,
    merchantReffNo: '',
    createdAtMs: nowMs,
  };
  const details = {
    kind: PAYMENT_LINK as typeof PAYMENT_LINK,
    title,
    description,
    required_customer_detail: requiredCustomerDetail,
    success_redirect_url: successRedirectUrl,
    payment_methods: paymentMethods.length === 0 ? payableMethods(vaSeries) : paymentMethods,
    payment_url: `${context.payUrl}/pay/${linkReference(PAYMENT_LINK, id)}`,
  };
  const state = newPayable({ minSen: amountSen, maxSen: amountSen, maxUses: maxUsage, expiresAtMs });
  return toPaymentLink(await insertOnce(context, order, state, details));
}
