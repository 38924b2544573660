import { EWALLET_CHANNELS, RefusalError, refuseField } from '@gerbang/core';
import {
  type CreateEwalletCheckoutRequest,
  CreateEwalletCheckoutResponseSchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { beyond, boundsFor } from '../../payment-request/bounds.ts';
import { changeFields, changePaymentRequest } from '../../payment-request/change.ts';
import { createOnce, insertOnce } from '../../payment-request/create.ts';
import type { StoredPaymentRequest } from '../../payment-request/document.ts';
import { newPaymentRequest } from '../../payment-request/payment-request.ts';
import type { PaymentRequest } from '../../payment-request/request.ts';
import { askWallet } from '../ask-wallet.ts';
import { asEwalletCheckout, checkoutId, EWALLET_CHECKOUT, type EwalletCheckoutDetails } from '../ewallet-checkout.ts';
import { toEwalletCheckout } from '../message.ts';

const STANDARD_BOUNDS = { minSen: 1n, maxSen: 50_000_000_00n };
const LIFE_MS = 30 * 60_000;

/**
 * A payment that the customer confirms in an e-wallet (contract §5). Refusals: product_not_allowed, those of the account, frozen,
 * validation, transaction_failed, idempotency_key_reused, idempotency_key_running.
 */
export async function createEwalletCheckout(context: Context, request: CreateEwalletCheckoutRequest) {
  return createOnce(context, EWALLET_CHECKOUT, request, {
    answer: CreateEwalletCheckoutResponseSchema,
    work: async (id) => ({ ewalletCheckout: toEwalletCheckout(await make(context, request, id)) }),
  });
}

/** It is written before the wallet is asked, so that a payment of the customer always finds its request. */
async function make(context: Context, request: CreateEwalletCheckoutRequest, id: string): Promise<PaymentRequest> {
  const { merchantId, accountId, channel, amountSen, customerPhone, merchantReffNo, successRedirectUrl } = request;
  const { profile } = await context.merchants.admit(merchantId, EWALLET_CHECKOUT, accountId);
  const nowMs = context.clock.now();
  if (!EWALLET_CHANNELS.some((known) => known === channel))
    throw new RefusalError(refuseField('channel', 'is not the code of an e-wallet'));
  if (channel === 'OVO' && customerPhone === '') throw new RefusalError(refuseField('customer_phone', 'is required for OVO'));
  const problem = beyond(boundsFor(profile.limits, EWALLET_CHECKOUT, STANDARD_BOUNDS), amountSen);
  if (problem !== undefined) throw new RefusalError(refuseField('amount', problem));
  const expiresAtMs = request.expiredAtMs === undefined ? nowMs + LIFE_MS : Number(request.expiredAtMs);
  if (expiresAtMs <= nowMs) throw new RefusalError(refuseField('expired_at', 'must be in the future'));
  const publicId = checkoutId(id);
  const order = { id, publicId, merchantId, partition: profile.partition, accountId, merchantReffNo, createdAtMs: nowMs };
  const details: EwalletCheckoutDetails = {
    kind: EWALLET_CHECKOUT,
    channel,
    customerPhone,
    successRedirectUrl,
    checkoutUrl: `${context.payUrl}/ewallet/${publicId}`,
    walletUrl: undefined,
  };
  const state = newPaymentRequest({ minSen: amountSen, maxSen: amountSen, maxUses: 1, expiresAtMs });
  const { request: made, isCreated } = await insertOnce(context, order, state, details);
  // The customer of one that is there already may have been asked, and is never asked twice.
  return isCreated ? ask(context, made, expiresAtMs) : made;
}

/** Asks the wallet, which leads the customer back to our page, and keeps where the customer confirms. */
async function ask(context: Context, made: StoredPaymentRequest, expiresAtMs: number): Promise<PaymentRequest> {
  const { channel, customerPhone, checkoutUrl: returnUrl } = asEwalletCheckout(made.details);
  const asked = { reference: made.order.publicId, channel, amountSen: made.state.minSen, customerPhone, returnUrl, expiresAtMs };
  let walletUrl: string | undefined;
  try {
    walletUrl = await askWallet(context, asked);
  } catch (error) {
    await changePaymentRequest(context, made, { type: 'fail' }, { event: 'failed' });
    throw error;
  }
  if (walletUrl === undefined) return made;
  // Of one that has been paid or has failed already the address is of no use.
  const kept = await changeFields(context, made, ({ state, details }) =>
    state.status === 'active' ? { details: { ...asEwalletCheckout(details), walletUrl } } : undefined,
  );
  return kept.request;
}
