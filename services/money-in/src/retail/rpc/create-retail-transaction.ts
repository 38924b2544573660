import { isRetailCode, newPaymentCode, RefusalError, randomDigits, refuseField } from '@gerbang/core';
import {
  type CreateRetailTransactionRequest,
  CreateRetailTransactionResponseSchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { beyond, boundsFor } from '../../payment-request/bounds.ts';
import { createOnce, insertOnce } from '../../payment-request/create.ts';
import { newPaymentRequest } from '../../payment-request/payment-request.ts';
import { mustHaveRetail } from '../access.ts';
import { toRetailTransaction } from '../message.ts';
import { RETAIL, type RetailDetails } from '../retail.ts';

/** merchant-api.md, limits, unless operators have set the merchant's own. */
const STANDARD_BOUNDS = { minSen: 15_000_00n, maxSen: 2_500_000_00n };

/**
 * A code to pay in cash (merchant-api.md, retail outlet). Refusals: validation (a merchant without the product too), those of the
 * account, frozen, idempotency_key_reused, idempotency_key_running.
 */
export async function createRetailTransaction(context: Context, request: CreateRetailTransactionRequest) {
  return createOnce(context, RETAIL, request, {
    answer: CreateRetailTransactionResponseSchema,
    work: async (id) => ({ retailTransaction: await make(context, request, id) }),
  });
}

async function make(context: Context, request: CreateRetailTransactionRequest, id: string) {
  const { merchantId, accountId, retailCode, amountSen, customerName, merchantReffNo } = request;
  await mustHaveRetail(context, merchantId);
  const { profile } = await context.merchants.admit(merchantId, RETAIL, accountId);
  const nowMs = context.clock.now();
  if (!isRetailCode(retailCode)) throw new RefusalError(refuseField('retail_code', 'is not the code of a chain of shops'));
  const problem = beyond(boundsFor(profile.limits, RETAIL, STANDARD_BOUNDS), amountSen);
  if (problem !== undefined) throw new RefusalError(refuseField('amount', problem));
  const expiresAtMs = Number(request.expiredAtMs);
  if (expiresAtMs <= nowMs) throw new RefusalError(refuseField('expired_at', 'must be in the future'));
  const paymentCode = await context.claims.claim(RETAIL, () => newPaymentCode(retailCode, randomDigits), id, nowMs);
  const publicId = id.slice(RETAIL.length + 1);
  const order = { id, publicId, merchantId, partition: profile.partition, accountId, merchantReffNo, createdAtMs: nowMs };
  const details: RetailDetails = { kind: RETAIL, retailCode, paymentCode, customerName };
  const state = newPaymentRequest({ minSen: amountSen, maxSen: amountSen, maxUses: 1, expiresAtMs });
  const { request: changed } = await insertOnce(context, order, state, details);
  return toRetailTransaction(changed);
}
