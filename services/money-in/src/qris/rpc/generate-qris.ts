import { RefusalError, refuseField } from '@gerbang/core';
import { type GenerateQrisRequest, GenerateQrisResponseSchema } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { beyond, boundsFor } from '../../payment-request/bounds.ts';
import { createOnce, insertOnce } from '../../payment-request/create.ts';
import { merchantNameOf } from '../../payment-request/merchant-name.ts';
import { newPaymentRequest } from '../../payment-request/payment-request.ts';
import { generateCode } from '../generate-code.ts';
import { fromTipIndicator, toQrisTransaction } from '../message.ts';
import { QRIS, type QrisDetails, qrisReference, type Tip } from '../qris.ts';
import { tipRule } from '../tip.ts';

/** Contract §5, unless operators have set the merchant's own. */
const STANDARD_BOUNDS = { minSen: 1_000_00n, maxSen: 10_000_000_00n };
const LIFE_MS = 30 * 60_000;

/**
 * A code for one payment (contract §5). Refusals: product_not_allowed, those of the account, frozen, validation, unavailable,
 * transaction_failed, idempotency_key_reused, idempotency_key_running.
 */
export async function generateQris(context: Context, request: GenerateQrisRequest) {
  return createOnce(context, QRIS, request, {
    answer: GenerateQrisResponseSchema,
    work: async (id) => ({ qrisTransaction: await make(context, request, id) }),
  });
}

async function make(context: Context, request: GenerateQrisRequest, id: string) {
  const { merchantId, accountId, amountSen, merchantReffNo, tipIndicator, tipValue } = request;
  const { profile } = await context.merchants.admit(merchantId, QRIS, accountId);
  const nowMs = context.clock.now();
  const problem = beyond(boundsFor(profile.limits, QRIS, STANDARD_BOUNDS), amountSen);
  if (problem !== undefined) throw new RefusalError(refuseField('amount', problem));
  const expiresAtMs = request.expiredAtMs === undefined ? nowMs + LIFE_MS : Number(request.expiredAtMs);
  if (expiresAtMs <= nowMs) throw new RefusalError(refuseField('expired_at', 'must be in the future'));
  const tip: Tip = { indicator: fromTipIndicator(tipIndicator), value: tipValue };
  const merchantName = await merchantNameOf(context, request);
  const asked = { reference: qrisReference(id), amountSen, tip: tipRule(tip), merchantName, expiresAtMs };
  const { payload, acquirerNns } = await generateCode(context, asked);
  const order = {
    id,
    publicId: String(await context.numbers(QRIS).next()),
    merchantId,
    partition: profile.partition,
    accountId,
    merchantReffNo,
    createdAtMs: nowMs,
  };
  const details: QrisDetails = {
    kind: QRIS,
    qrData: payload,
    tip,
    acquirerName: context.rails.acquirerName,
    acquirerNns,
  };
  const state = newPaymentRequest({ minSen: amountSen, maxSen: amountSen, maxUses: 1, expiresAtMs });
  const { request: changed } = await insertOnce(context, order, state, details);
  return toQrisTransaction(changed, nowMs);
}
