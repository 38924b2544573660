import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { isRefusal, isVaBankCode, newVaNumber, RefusalError, randomDigits, refuseField } from '@gerbang/core';
import {
  AmountType,
  type CreateVirtualAccountRequest,
  CreateVirtualAccountResponseSchema,
  VirtualAccountKind,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { boundsFor } from '../../payable/bounds.ts';
import { createOnce, insertOnce } from '../../payable/create.ts';
import { newPayable } from '../../payable/payable.ts';
import { VIRTUAL_ACCOUNT } from '../../payable/product.ts';
import { toVirtualAccount } from '../message.ts';
import { decideTerms, STANDARD_BOUNDS } from '../virtual-account.ts';

/**
 * A new virtual account with a number of its own (contract §5). Refusals: product_not_allowed, those of the account, frozen, validation,
 * idempotency_key_reused, idempotency_key_running.
 */
export async function createVirtualAccount(context: Context, request: CreateVirtualAccountRequest) {
  const { response, replayed } = await createOnce(context, VIRTUAL_ACCOUNT, request, async (id) => {
    const virtualAccount = await make(context, request, id);
    return toBinary(CreateVirtualAccountResponseSchema, create(CreateVirtualAccountResponseSchema, { virtualAccount }));
  });
  return { ...fromBinary(CreateVirtualAccountResponseSchema, response), replayed };
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
  const number = await context.claims.claim('va', () => newVaNumber(context.vaSeries, bankCode, randomDigits), id, nowMs);
  const order = {
    id,
    publicId: id.slice(VIRTUAL_ACCOUNT.length + 1),
    merchantId,
    partition: profile.partition,
    accountId,
    merchantReffNo,
    createdAtMs: nowMs,
  };
  const details = { kind: VIRTUAL_ACCOUNT, number, bank_code: bankCode, va_kind: kind, amount_type: amountType, name } as const;
  return toVirtualAccount(await insertOnce(context, order, newPayable(terms), details));
}
