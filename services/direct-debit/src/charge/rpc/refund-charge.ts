import { createHash, randomUUID } from 'node:crypto';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { canonicalJson, RefusalError, refuse } from '@gerbang/core';
import {
  type RefundChargeRequest,
  type RefundChargeResponse,
  RefundChargeResponseSchema,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { withinOr } from '@gerbang/runtime';
import { createOnce } from '@gerbang/store';
import { type Context, DIRECT_DEBIT } from '../../context.ts';
import { advanceCharge } from '../advance.ts';
import { changeCharge, mustFindCharge } from '../change.ts';
import type { StoredCharge } from '../document.ts';
import { toRefundMessage, toTransactionMessage } from '../message.ts';
import { findOwnCharge } from '../own.ts';
import { ANSWER_AFTER_MS, workOn } from '../place.ts';
import { writeRefundRequest } from '../request.ts';
import { isCharged, type Refund, refundedSen } from '../state.ts';

/**
 * Gives a charge back, or a part of it, once per charge and reference; answers when the bank has, or after 3 s. Refusals:
 * product_not_allowed, transaction_not_found, frozen, duplicate_reference, transaction_failed, validation (amount),
 * insufficient_balance, unavailable, timeout, idempotency_key_reused, idempotency_key_running.
 */
export async function refundCharge(context: Context, request: RefundChargeRequest) {
  const { answer, replayed } = await createOnce<RefundChargeResponse>(context.idempotencyKeys, request, {
    allocate: () => randomUUID(),
    async create(id) {
      const { charge, refund } = await placeRefund(context, request, id);
      const shown = { transaction: toTransactionMessage(charge), refund: toRefundMessage(refund) };
      return create(RefundChargeResponseSchema, shown);
    },
    encode: (response) => toBinary(RefundChargeResponseSchema, response),
    decode: (bytes) => fromBinary(RefundChargeResponseSchema, bytes),
  });
  return { ...answer, replayed };
}

type Placed = { charge: StoredCharge; refund: Refund };

async function placeRefund(context: Context, request: RefundChargeRequest, id: string): Promise<Placed> {
  const { merchantId, transactionId, referenceNumber } = request;
  await context.merchants.admitProduct(merchantId, DIRECT_DEBIT);
  const found = await findOwnCharge(context, merchantId, transactionId);
  await context.merchants.admit(merchantId, DIRECT_DEBIT, found.order.accountId);
  const contentHash = hashOf(request);
  const known = refundOf(found, referenceNumber);
  if (known !== undefined) return follow(context, found, repeat(known, contentHash));
  // Where it is due the charge settles first, so that it is certain where its money is.
  const charge = found.state.status === 'settling' ? await advanceCharge(context, found) : found;
  const amountSen = request.amountSen ?? leftOf(charge);
  const wanted = { id, referenceNumber, contentHash, amountSen };
  const written = writeRefundRequest(charge.order, wanted, Date.now());
  // Another request under the same reference may have been faster: then its refund stands.
  const { charge: after } = await changeCharge(context, charge, { type: 'refund', refund: { ...wanted, request: written } });
  const refund = refundOf(after, referenceNumber);
  if (refund === undefined) throw new Error(`refund ${id} has vanished`);
  return follow(context, after, repeat(refund, contentHash));
}

/** Goes on with a refund, and gives what it has become within the time for an answer; the work itself goes on. */
async function follow(context: Context, charge: StoredCharge, refund: Refund): Promise<Placed> {
  if (refund.stage.status !== 'reserving') return { charge, refund };
  const waiting: Placed = { charge, refund };
  const after = await withinOr(ANSWER_AFTER_MS, workOn(context, charge), charge);
  if (after === charge) return waiting;
  const now = await mustFindCharge(context, charge.order.id);
  const there = isCharged(now.state) ? now.state.refunds.find(({ id }) => id === refund.id) : undefined;
  if (there === undefined) throw new RefusalError(refuse('insufficient_balance'));
  return { charge: now, refund: there };
}

function repeat(known: Refund, contentHash: string): Refund {
  if (known.contentHash !== contentHash) throw new RefusalError(refuse('duplicate_reference'));
  return known;
}

function refundOf({ state }: StoredCharge, referenceNumber: string): Refund | undefined {
  return isCharged(state) ? state.refunds.find((one) => one.referenceNumber === referenceNumber) : undefined;
}

function leftOf({ order, state }: StoredCharge): bigint {
  return isCharged(state) ? order.amountSen - refundedSen(state) : order.amountSen;
}

/** As the merchant has asked: without an amount it is another request than with all of it. */
function hashOf({ amountSen }: RefundChargeRequest): string {
  return createHash('sha256')
    .update(canonicalJson({ amountSen: amountSen?.toString() ?? null }))
    .digest('hex');
}
