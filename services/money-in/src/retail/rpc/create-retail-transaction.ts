import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { isRetailCode, newPaymentCode, RefusalError, randomDigits, refuseField } from '@gerbang/core';
import {
  type CreateRetailTransactionRequest,
  CreateRetailTransactionResponseSchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { beyond, boundsFor } from '../../payable/bounds.ts';
import { createOnce, insertOnce } from '../../payable/create.ts';
import { newPayable } from '../../payable/payable.ts';
import { RETAIL } from '../../payable/product.ts';
import { mustHaveRetail } from '../access.ts';
import { toRetailTransaction } from '../message.ts';

/** merchant-api.md, limits, unless operators have set the merchant's own. */
const STANDARD_BOUNDS = { minSen: 15_000_00n, maxSen: 2_500_000_00n };

/**
 * A code to pay in cash (merchant-api.md, retail outlet). Refusals: validation (a merchant without the product too), those of the account, frozen,
 * idempotency_key_reused, idempotency_key_running.
 */
export async function createRetailTransaction(context: Context, request: CreateRetailTransactionRequest) {
  const { response, replayed } = await createOnce(context, RETAIL, request, async (id) => {
    const retailTransaction = await make(context, request, id);
    return toBinary(CreateRetailTransactionResponseSchema, create(CreateRetailTransactionResponseSchema, { retailTransaction }));
  });
  return { ...fromBinary(CreateRetailTransactionResponseSchema, response), replayed };
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
  const paymentCode = await context.claims.claim('retail', () => newPaymentCode(retailCode, randomDigits), id, nowMs);
  const publicId = id.slice(RETAIL.length + 1);
  const order = { id, publicId, merchantId, partition: profile.partition, accountId, merchantReffNo, createdAtMs: nowMs };
  const details = { kind: RETAIL, retail_code: retailCode, payment_code: paymentCode, customer_name: customerName } as const;
  const state = newPayable({ minSen: amountSen, maxSen: amountSen, maxUses: 1, expiresAtMs });
  return toRetailTransaction(await insertOnce(context, order, state, details));
}
