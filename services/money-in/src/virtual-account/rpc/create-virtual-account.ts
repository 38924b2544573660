import { isRefusal, isVaBankCode, newVaNumber, RefusalError, randomDigits, refuseField } from '@gerbang/core';
import {
  AmountType,
  type CreateVirtualAccountRequest,
  CreateVirtualAccountResponseSchema,
  VirtualAccountKind,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { boundsFor } from '../../payment-request/bounds.ts';
import { createOnce, insertOnce } from '../../payment-request/create.ts';
import { newPaymentRequest } from '../../payment-request/payment-request.ts';
import { toVirtualAccount } from '../message.ts';
import { decideTerms, STANDARD_BOUNDS, VA_RAIL, VIRTUAL_ACCOUNT, type VirtualAccountDetails } from '../virtual-account.ts';

/**
 * A new virtual account with a number of its own (contract §5). Refusals: product_not_allowed, those of the account, frozen,
 * validation, idempotency_key_reused, idempotency_key_running.
 */
export async function createVirtualAccount(context: Context, request: CreateVirtualAccountRequest) {
  return createOnce(context, VIRTUAL_ACCOUNT, request, {
    answer: CreateVirtualAccountResponseSchema,
    work: async (id) => ({ virtualAccount: await make(context, request, id) }),
  });
}

async function make(context: Context, request: CreateVirtualAccountRequest, id: string) {
  const { merchantId, accountId, bankCode, name, merchantReffNo, kind, amountType } = request;
  const { profile } = await context.merchants.admit(merchantId, VIRTUAL_ACCOUNT, accountId);
  if (!isVaBankCode(bankCode))
    throw new RefusalError(refuseField('bank_code', 'is not the code of a bank with virtual accounts'));
  const nowMs = context.clock.now();
  const terms = decideTerms(
    {
      isOpen: amountType === AmountType.OPEN,
      isTemporary: kind === VirtualAccountKind.TEMPORARY,
      amountSen: request.amountSen,
      minAmountSen: request.minAmountSen,
      maxAmountSen: request.maxAmountSen,
      maxUsage: request.maxUsage,
      expiredAtMs: request.expiredAtMs === undefined ? undefined : Number(request.expiredAtMs),
    },
    boundsFor(profile.limits, VIRTUAL_ACCOUNT, STANDARD_BOUNDS),
    nowMs,
  );
  if (isRefusal(terms)) throw new RefusalError(terms);
  const number = await context.claims.claim(VA_RAIL, () => newVaNumber(context.vaSeries, bankCode, randomDigits), id, nowMs);
  const order = {
    id,
    publicId: id.slice(VIRTUAL_ACCOUNT.length + 1),
    merchantId,
    partition: profile.partition,
    accountId,
    merchantReffNo,
    createdAtMs: nowMs,
  };
  const details: VirtualAccountDetails = {
    kind: VIRTUAL_ACCOUNT,
    number,
    bankCode,
    lifetime: kind === VirtualAccountKind.TEMPORARY ? 'temporary' : 'permanent',
    amountType: terms.isOpen ? 'open' : 'closed',
    name,
  };
  const { request: made } = await insertOnce(context, order, newPaymentRequest(terms), details);
  return toVirtualAccount(made);
}
