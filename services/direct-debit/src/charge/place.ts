import { createHash } from 'node:crypto';
import { canonicalJson, RefusalError, refuse } from '@gerbang/core';
import type { Profile } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { withinOr } from '@gerbang/runtime';
import type { StoredBinding } from '../binding/document.ts';
import { findOwnBinding } from '../binding/own.ts';
import { type Context, DIRECT_DEBIT } from '../context.ts';
import { advanceCharge } from './advance.ts';
import type { StoredCharge } from './document.ts';
import { chargeId } from './reference.ts';
import { writeChargeRequest } from './request.ts';
import type { ChargeOrder } from './state.ts';

/** A charge or refund is answered when the bank has answered, or after this long as it then stands (contract §6). */
export const ANSWER_AFTER_MS = 3_000;

export type NewCharge = Pick<
  ChargeOrder,
  'merchantId' | 'accountId' | 'bindingId' | 'referenceNumber' | 'amountSen' | 'description'
>;

/**
 * Charges a bound account, once per account and reference, and gives the charge as it stands when the bank has answered, or after
 * 3 s. Refusals: product_not_allowed, account_not_found, account_of_other_merchant, frozen, duplicate_reference,
 * transaction_not_found, transaction_failed, account_limit, unavailable, timeout.
 */
export async function placeCharge(context: Context, wanted: NewCharge): Promise<StoredCharge> {
  const { profile } = await context.merchants.admit(wanted.merchantId, DIRECT_DEBIT, wanted.accountId);
  const id = chargeId(wanted.accountId, wanted.referenceNumber);
  const contentHash = hashOf(wanted);
  const known = await context.charges.find(id);
  if (known !== undefined) return repeat(known, contentHash);
  const binding = await findOwnBinding(context, wanted.merchantId, wanted.bindingId);
  mustBeChargeable(binding, wanted.accountId);
  await mustBeWithinLimits(context, profile, id, wanted);
  const order = orderOf(context, { wanted, id, contentHash, binding, profile });
  const inserted = await context.charges.insert(order, order.createdAtMs);
  if (inserted !== undefined) return answerInTime(context, inserted);
  const there = await context.charges.find(id, { linearizable: true });
  if (there === undefined) throw new Error(`charge ${id} is taken and not there`);
  return repeat(there, contentHash);
}

function repeat(known: StoredCharge, contentHash: string): StoredCharge {
  if (known.order.contentHash !== contentHash) throw new RefusalError(refuse('duplicate_reference'));
  return known;
}

function mustBeChargeable({ order, state }: StoredBinding, accountId: string): void {
  if (order.accountId !== accountId) throw new RefusalError(refuse('transaction_not_found'));
  if (state.status !== 'active' || state.unbinding?.stage === 'confirmed')
    throw new RefusalError(refuse('transaction_failed', { message: 'The binding is not active' }));
}

/** What operators have set for the product, of which the day's sum holds for each binding. */
async function mustBeWithinLimits(context: Context, { limits }: Profile, id: string, { amountSen, bindingId }: NewCharge) {
  const limit = limits.find(({ product }) => product === DIRECT_DEBIT);
  if (limit === undefined) return;
  const isTooMuch = limit.maximumSen > 0n && amountSen > limit.maximumSen;
  if (isTooMuch || amountSen < limit.minimumSen) throw new RefusalError(refuse('account_limit'));
  const dailySen = limit.dailyMaximumSen;
  if (dailySen > 0n) await context.quotas.reserve({ id, bindingId, amountSen, dailySen });
}

type Parts = { wanted: NewCharge; id: string; contentHash: string; binding: StoredBinding; profile: Profile };

function orderOf({ clock, otpAboveSen }: Context, { wanted, id, contentHash, binding, profile }: Parts): ChargeOrder {
  const { bankCode, customerId } = binding.order;
  return {
    ...wanted,
    id,
    partition: profile.partition,
    bankCode,
    customerId,
    contentHash,
    request: writeChargeRequest({ ...wanted, id }, Date.now()),
    requiresOtp: wanted.amountSen > otpAboveSen,
    createdAtMs: clock.now(),
  };
}

/** SHA-256 of the validated content, lowercase hex: what makes two orders under one reference the same one (contract §2). */
function hashOf({ bindingId, amountSen, description }: NewCharge): string {
  const json = { product: DIRECT_DEBIT, bindingId, amountSen: amountSen.toString(), description };
  return createHash('sha256').update(canonicalJson(json)).digest('hex');
}

/** Goes on with a new charge, and gives what it has become within the time for an answer; the work itself goes on. */
async function answerInTime(context: Context, charge: StoredCharge): Promise<StoredCharge> {
  return withinOr(ANSWER_AFTER_MS, workOn(context, charge), charge);
}

/** Takes a charge as far as it goes, while its timer leaves it alone. What fails is left to the timer. */
export function workOn(context: Context, charge: StoredCharge): Promise<StoredCharge> {
  const { id } = charge.order;
  context.inProgress.add(id);
  const running = advanceCharge(context, charge)
    .catch(async (error: unknown) => {
      context.log.warn({ err: error, transaction_id: id }, 'a charge was left to its timer');
      return (await context.charges.find(id)) ?? charge;
    })
    .finally(() => context.inProgress.delete(id));
  // What fails here fails for the request that waits for it.
  context.background.add(running.catch(() => undefined));
  return running;
}
