import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { isUlid, newUlid, RefusalError, refuse } from '@gerbang/core';
import type { IdempotencyKey } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { createOnce as createWithKey } from '@gerbang/store';
import type { Context } from '../context.ts';
import type { StoredPaymentRequest } from './document.ts';
import type { PaymentRequestState } from './payment-request.ts';
import type { Details, PaymentRequestOrder } from './request.ts';

/** What a merchant asks for, of any kind. */
export type Creation = { merchantId: string; accountId: string; idempotencyKey?: IdempotencyKey | undefined };

/**
 * Creates a payment request once for its Idempotency-Key, and gives the same answer for every later request with the key; without
 * one, just creates. `id` is the request's, "<kind>:<ULID>", the same one after a crash. Refusals: idempotency_key_reused,
 * idempotency_key_running, and those of the work.
 */
export async function createOnce<Answer extends DescMessage>(
  context: Pick<Context, 'idempotencyKeys' | 'clock'>,
  kind: string,
  { merchantId, accountId, idempotencyKey }: Creation,
  { answer: schema, work }: { answer: Answer; work: (id: string) => Promise<MessageInitShape<Answer>> },
): Promise<MessageShape<Answer> & { replayed: boolean }> {
  // What names no account is refused before anything of it is kept.
  const creator = { merchantId, idempotencyKey: isUlid(accountId) ? idempotencyKey : undefined };
  const { answer, replayed } = await createWithKey<MessageShape<Answer>>(context.idempotencyKeys, creator, {
    allocate: () => `${kind}:${newUlid(context.clock.now())}`,
    create: async (id) => create(schema, await work(id)),
    encode: (made) => toBinary(schema, made),
    decode: (bytes) => fromBinary(schema, bytes),
  });
  return { ...answer, replayed };
}

/** A new payment request, or the one that an interrupted creation has made under this id already; only the new one is counted. */
export async function insertOnce(
  context: Pick<Context, 'paymentRequests' | 'kinds' | 'metrics'>,
  order: PaymentRequestOrder,
  state: PaymentRequestState,
  details: Details,
): Promise<{ request: StoredPaymentRequest; isCreated: boolean }> {
  const made = await context.paymentRequests.insertOrFind(order, state, details);
  if (made.isCreated) context.metrics.created(context.kinds.of(details.kind).product);
  return made;
}

/** One of the merchant's own payment requests. Refusals: product_not_allowed, those of the account, transaction_not_found. */
export async function ownRequest(
  context: Pick<Context, 'paymentRequests' | 'kinds' | 'merchants'>,
  kind: string,
  { merchantId, accountId, publicId }: { merchantId: string; accountId: string; publicId: string },
): Promise<StoredPaymentRequest> {
  await context.merchants.admitProduct(merchantId, context.kinds.of(kind).product);
  await context.merchants.account(merchantId, accountId);
  const found = await context.paymentRequests.findByPublicId(kind, accountId, publicId);
  if (found === undefined || found.order.merchantId !== merchantId) throw new RefusalError(refuse('transaction_not_found'));
  return found;
}

/** The same, to change it. Refusals: frozen too. */
export async function ownRequestToChange(
  context: Pick<Context, 'paymentRequests' | 'kinds' | 'merchants'>,
  kind: string,
  key: { merchantId: string; accountId: string; publicId: string },
): Promise<StoredPaymentRequest> {
  await context.merchants.admit(key.merchantId, context.kinds.of(kind).product, key.accountId);
  return ownRequest(context, kind, key);
}
