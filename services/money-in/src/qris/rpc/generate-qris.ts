import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { RefusalError, refuseField } from '@gerbang/core';
import { type GenerateQrisRequest, GenerateQrisResponseSchema } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { beyond, boundsFor } from '../../payable/bounds.ts';
import { createOnce, insertOnce } from '../../payable/create.ts';
import { merchantNameOf } from '../../payable/merchant-name.ts';
import { newPayable } from '../../payable/payable.ts';
import { QRIS } from '../../payable/product.ts';
import { generateCode } from '../generate-code.ts';
import { qrisReference, toQrisTransaction } from '../message.ts';
import { toTip } from '../tip.ts';

/** Contract §5, unless operators have set the merchant's own. */
const STANDARD_BOUNDS = { minSen: 1_000_00n, maxSen: 10_000_000_00n };
const LIFE_MS = 30 * 60_000;

/**
 * A code for one payment (contract §5). Refusals: product_not_allowed, those of the account, frozen, validation, unavailable, transaction_failed,
 * idempotency_key_reused, idempotency_key_running.
 */
export async function generateQris(context: Context, request: GenerateQrisRequest) {
  const { response, replayed } = await createOnce(context, QRIS, request, async (id) => {
    const qrisTransaction = await make(context, request, id);
    return toBinary(GenerateQrisResponseSchema, create(GenerateQrisResponseSchema, { qrisTransaction }));
  });
  return { ...fromBinary(GenerateQrisResponseSchema, response), replayed };
}

async function make(context: Context, request: GenerateQrisRequest, id: string) {
  const { merchantId, accountId, amountSen, merchantReffNo, tipIndicator, tipValue } = request;
  const { profile } = await context.merchants.admit(merchantId, QRIS, accountId);
  const nowMs = context.clock.now();
  const problem = beyond(boundsFor(profile.limits, QRIS, STANDARD_BOUNDS), amountSen);
  if (problem !== undefined) throw new RefusalError(refuseField('amount', problem));
  const expiresAtMs = request.expiredAtMs === undefined ? nowMs + LIFE_MS : Number(request.expiredAtMs);
  if (expiresAtMs <= nowMs) throw new RefusalError(refuseField('expired_at', 'must be in the future'));
  const tip = toTip(tipIndicator, tipValue);
  const merchantName = await merchantNameOf(context, request);
  const asked = { reference: qrisReference(id), amountSen, tip, merchantName, expiresAtMs };
  const { payload, acquirerNns } = await generateCode(context, asked);
  const order = {
    id,
    publicId: String(await context.numbers.qris.next()),
    merchantId,
    partition: profile.partition,
    accountId,
    merchantReffNo,
    createdAtMs: nowMs,
  };
  const details = {
    kind: QRIS,
    qr_data: payload,
    tip_indicator: tipIndicator,
    tip_value: tipValue,
    acquirer_name: context.rails.acquirerName,
    acquirer_nns: acquirerNns,
  } as const;
  const state = newPayable({ minSen: amountSen, maxSen: amountSen, maxUses: 1, expiresAtMs });
  return toQrisTransaction(await insertOnce(context, order, state, details), nowMs);
}
