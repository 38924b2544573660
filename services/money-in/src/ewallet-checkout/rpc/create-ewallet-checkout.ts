import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { EWALLET_CHANNELS, RefusalError, refuseField } from '@gerbang/core';
import {
  type CreateEwalletCheckoutRequest,
  CreateEwalletCheckoutResponseSchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { beyond, boundsFor } from '../../payable/bounds.ts';
import { changePayable } from '../../payable/change.ts';
import { createOnce } from '../../payable/create.ts';
import { newPayable } from '../../payable/payable.ts';
import { detailsOf, EWALLET_CHECKOUT } from '../../payable/product.ts';
import type { StoredPayable } from '../../payable/stored-payable.ts';
import { askWallet } from '../ask-wallet.ts';
import { checkoutId, toEwalletCheckout } from '../message.ts';

const STANDARD_BOUNDS = { minSen: 1n, maxSen: 50_000_000_00n };
const LIFE_MS = 30 * 60_000;

/**
 * A payment that the customer confirms in an e-wallet (contract §5). Refusals: product_not_allowed, those of the account, frozen, validation,
 * transaction_failed, idempotency_key_reused, idempotency_key_running.
 */
export async function createEwalletCheckout(context: Context, request: CreateEwalletCheckoutRequest) {
  const { response, replayed } = await createOnce(context, EWALLET_CHECKOUT, request, async (id) => {
    const ewalletCheckout = toEwalletCheckout(await make(context, request, id));
    return toBinary(CreateEwalletCheckoutResponseSchema, create(CreateEwalletCheckoutResponseSchema, { ewalletCheckout }));
  });
  return { ...fromBinary(CreateEwalletCheckoutResponseSchema, response), replayed };
}

/** It is written before the wallet is asked, so that whatever the customer then pays is for something. */
async function make(context: Context, request: CreateEwalletCheckoutRequest, id: string): Promise<StoredPayable> {
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
  const details = {
    kind: EWALLET_CHECKOUT,
    channel,
    customer_phone: customerPhone,
    success_redirect_url: successRedirectUrl,
    checkout_url: `${context.payUrl}/ewallet/${publicId}`,
  } as const;
  const state = newPayable({ minSen: amountSen, maxSen: amountSen, maxUses: 1, expiresAtMs });
  const inserted = await context.payables.insert(order, state, details, []);
  if (inserted === undefined) return known(context, id);
  context.metrics.created(EWALLET_CHECKOUT);
  return ask(context, inserted, expiresAtMs);
}

/** Asks the wallet, which leads the customer back to our page, and keeps where the customer confirms. */
async function ask(context: Context, made: StoredPayable, expiresAtMs: number): Promise<StoredPayable> {
  const { channel, customer_phone: customerPhone, checkout_url: returnUrl } = detailsOf(made.details, EWALLET_CHECKOUT);
  const asked = { reference: made.order.publicId, channel, amountSen: made.state.minSen, customerPhone, returnUrl, expiresAtMs };
  let url: string | undefined;
  try {
    url = await askWallet(context, asked);
  } catch (error) {
    await changePayable(context, made, { type: 'fail' }, { announced: 'failed' });
    throw error;
  }
  if (url === undefined) return made;
  const details = { ...detailsOf(made.details, EWALLET_CHECKOUT), wallet_url: url };
  const written = await context.payables.apply(made, [], { details, nowMs: context.clock.now(), published: [] });
  // Somebody has paid or failed it already: then the address is of no use to anybody.
  return written ?? known(context, made.order.id);
}

async function known(context: Context, id: string): Promise<StoredPayable> {
  const found = await context.payables.find(id);
  if (found === undefined) throw new Error(`payable ${id} has vanished`);
  return found;
}
