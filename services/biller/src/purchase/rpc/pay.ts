import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { newUlid, RefusalError, refuse, refuseField } from '@gerbang/core';
import { prepaidToken } from '@gerbang/keys';
import {
  type PayPrepaidRequest,
  type PayPrepaidResponse,
  PayPrepaidResponseSchema,
} from '@gerbang/proto/gerbang/biller/v1/biller';
import { withinOr } from '@gerbang/runtime';
import { createOnce } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { mustBeSold } from '../../cut-off.ts';
import { expiresAtMs, type Inquiry } from '../../inquiry/inquiry.ts';
import { BILLER } from '../../product/product.ts';
import type { PurchaseOrder, StoredPurchase } from '../document.ts';
import { isWithin } from '../limits.ts';
import { toMessage } from '../message.ts';
import { buy, holdPrice, writeHeld } from '../saga.ts';
import { RESUME_AFTER_MS } from '../schedule.ts';

/** A payment is answered when the biller has answered, or after this long with the state it then has (contract §9). */
const ANSWER_AFTER_MS = 3_000;

/**
 * Pays for an inquiry, once per reference number, and gives the purchase as it stands when the biller has answered, or after 3 s.
 * Refusals: product_not_allowed, validation (command, reference_number, account_id), account_not_found, account_of_other_merchant,
 * frozen, account_limit, vendor_inactive, insufficient_balance, idempotency_key_reused, idempotency_key_running.
 */
export async function payPrepaid(context: Context, request: PayPrepaidRequest) {
  const { answer, replayed } = await createOnce<PayPrepaidResponse>(context.idempotencyKeys, request, {
    allocate: () => newUlid(context.clock.now()),
    create: async (transactionId) => toAnswer(context, await pay(context, request, transactionId)),
    encode: async (response) => toBinary(PayPrepaidResponseSchema, await withToken(response, context.keys.seal)),
    decode: (bytes) => withToken(fromBinary(PayPrepaidResponseSchema, bytes), context.keys.open),
  });
  return { ...answer, replayed };
}

async function pay(context: Context, request: PayPrepaidRequest, transactionId: string): Promise<StoredPurchase> {
  const startedMs = performance.now();
  await context.merchants.admitProduct(request.merchantId, BILLER);
  for (;;) {
    const known = await context.purchases.find(request.referenceNumber);
    if (known !== undefined) return repeat(context, known, request);
    const created = await context.purchases.insert(await newOrder(context, request, transactionId));
    // Else another request was faster: its purchase is this one's answer.
    if (created === undefined) continue;
    await holdPrice(context, created);
    // After that long a timer may have sent it as well.
    return answerInTime(context, created, { firstSend: performance.now() - startedMs < RESUME_AFTER_MS });
  }
}

/** What is bought under a reference number that has no purchase yet. Refusals: as `payPrepaid`. */
async function newOrder(context: Context, request: PayPrepaidRequest, transactionId: string): Promise<PurchaseOrder> {
  const { merchants, clock } = context;
  const { merchantId } = request;
  const accountId = request.accountId || (await merchants.profile(merchantId)).defaultAccountId;
  const { profile } = await merchants.admit(merchantId, BILLER, accountId);
  const inquiry = await mustFindInquiry(context, request);
  const nowMs = clock.now();
  if (nowMs >= expiresAtMs(inquiry)) throw new RefusalError(refuseField('reference_number', 'has expired; inquire again'));
  if (!isWithin(profile.limits, BILLER, inquiry.amountSen)) throw new RefusalError(refuse('account_limit'));
  mustBeSold(context.cutOff, inquiry.command, nowMs);
  return { ...inquiry, transactionId, partition: profile.partition, accountId, createdAtMs: nowMs };
}

async function mustFindInquiry({ inquiries }: Context, request: PayPrepaidRequest): Promise<Inquiry> {
  const inquiry = await inquiries.find(request.referenceNumber);
  if (inquiry === undefined || inquiry.merchantId !== request.merchantId) throw unknownReference();
  mustHaveCommand(inquiry, request);
  return inquiry;
}

/** A payment of a reference that was paid before is answered with that purchase, also after the reference has expired. */
async function repeat(context: Context, known: StoredPurchase, request: PayPrepaidRequest): Promise<StoredPurchase> {
  const { order, state } = known;
  if (order.merchantId !== request.merchantId) throw unknownReference();
  mustHaveCommand(order, request);
  if (request.accountId !== '' && request.accountId !== order.accountId)
    throw new RefusalError(refuseField('account_id', 'is not the account that this reference_number was paid from'));
  if (state.status !== 'created') return known;
  // The ledger may still refuse the hold: help, by the same posting key, so that this answer and the first one agree.
  await holdPrice(context, known);
  return writeHeld(context, known);
}

function mustHaveCommand({ command }: { command: string }, request: PayPrepaidRequest): void {
  if (command !== request.command) throw new RefusalError(refuseField('command', `must be ${command}, as it was inquired`));
}

function unknownReference(): RefusalError {
  return new RefusalError(refuseField('reference_number', 'is not known'));
}

/** Calls the biller for a new purchase and gives what it has become within the time for an answer; the call itself goes on. */
async function answerInTime(context: Context, created: StoredPurchase, options: { firstSend: boolean }): Promise<StoredPurchase> {
  const { transactionId } = created.order;
  context.inProgress.add(transactionId);
  const running = buy(context, created, options)
    .catch((error: unknown) => {
      context.log.warn({ err: error, transaction_id: transactionId }, 'a purchase was left to its timer');
      return created;
    })
    .finally(() => context.inProgress.delete(transactionId));
  context.background.add(running);
  return withinOr(ANSWER_AFTER_MS, running, created);
}

async function toAnswer({ keys }: Context, { order, state }: StoredPurchase): Promise<PayPrepaidResponse> {
  const sealed = state.status === 'succeeded' ? state.sealedToken : undefined;
  const token = sealed === undefined ? '' : await keys.open(prepaidToken(order.referenceNumber), sealed);
  return create(PayPrepaidResponseSchema, { purchase: toMessage(order, state), token });
}

/** The answer with its token, if it has one, sealed or opened. */
async function withToken(answer: PayPrepaidResponse, convert: Context['keys']['seal' | 'open']): Promise<PayPrepaidResponse> {
  const { purchase, token } = answer;
  return token === '' || purchase === undefined
    ? answer
    : { ...answer, token: await convert(prepaidToken(purchase.referenceNumber), token) };
}
